// enter.cl - some words of a plane
//
//     plane[word] |= mask        for each entry (word, low half of the mask, high half, unused); no word comes twice
//
// Words have 64 bits. Index space: one item = one entry, 1-dimensional. Any work-group shape; no local memory. Reads
// 24 B, writes 8 B an item.
kernel void enter(global uint *plane, global const uint4 *entries, const ulong items)
{
    const ulong item = get_global_id(0);
    if (item >= items)
        return;
    const uint4 entry = entries[item];
    const ulong at = 2 * (ulong)entry.s0;
    plane[at] |= entry.s1;
    plane[at + 1] |= entry.s2;
}
