// combine.cl - the logic of whole planes
//
//     to (op)= from        op as in enum plane_operation: copy, or, and, and-not, copy-not
//
// Index space: one item = 4 words (16 B), 1-dimensional. Any work-group shape; no local memory. Reads 32 B (16 to
// copy), writes 16 B an item.
kernel void combine(global uint4 *to, global const uint4 *from, const ulong items, const uint operation)
{
    const ulong item = get_global_id(0);
    if (item >= items)
        return;
    const uint4 value = from[item];
    if (operation == 0)
        to[item] = value;
    else if (operation == 1)
        to[item] |= value;
    else if (operation == 2)
        to[item] &= value;
    else if (operation == 3)
        to[item] &= ~value;
    else
        to[item] = ~value;
}
