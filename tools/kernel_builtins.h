// kernel_builtins.h - the OpenCL built-in functions that kernels/ call, for compilers that come without their library
//
// Included before a kernel by tools/kernel_report.sh, where clang makes code for a GPU by itself. clang's own header
// has declared these functions; here are bodies of them. A built-in that is missing here shows up as a call that
// remains, which kernel_report.sh takes for a failure.
#define BUILTIN __attribute__((overloadable, always_inline))

// ---- where an item is: dimension 0 only ----

#if defined(__AMDGCN__)
#define ITEM       __builtin_amdgcn_workitem_id_x()
#define GROUP      __builtin_amdgcn_workgroup_id_x()
#define GROUP_SIZE __builtin_amdgcn_workgroup_size_x()
#define WAIT       __builtin_amdgcn_s_barrier()
#elif defined(__NVPTX__)
#define ITEM       __nvvm_read_ptx_sreg_tid_x()
#define GROUP      __nvvm_read_ptx_sreg_ctaid_x()
#define GROUP_SIZE __nvvm_read_ptx_sreg_ntid_x()
#define WAIT       __syncthreads()
#else
#error "no GPU that this file knows"
#endif

BUILTIN size_t get_local_id(uint dimension) { return ITEM; }
BUILTIN size_t get_group_id(uint dimension) { return GROUP; }
BUILTIN size_t get_local_size(uint dimension) { return GROUP_SIZE; }
BUILTIN size_t get_global_id(uint dimension) { return (size_t)GROUP * GROUP_SIZE + ITEM; }
BUILTIN void barrier(cl_mem_fence_flags flags) { WAIT; }

// ---- bits ----

BUILTIN uint popcount(uint x) { return __builtin_popcount(x); }
BUILTIN ulong popcount(ulong x) { return __builtin_popcountl(x); }
BUILTIN uint2 popcount(uint2 x) { return (uint2)(popcount(x.x), popcount(x.y)); }
BUILTIN uint4 popcount(uint4 x) { return (uint4)(popcount(x.lo), popcount(x.hi)); }
BUILTIN uint clz(uint x) { return x == 0 ? 32 : __builtin_clz(x); }
BUILTIN ulong clz(ulong x) { return x == 0 ? 64 : __builtin_clzl(x); }
BUILTIN int any(int2 x) { return (x.x | x.y) < 0; }
BUILTIN int any(int4 x) { return any(x.lo | x.hi); }
BUILTIN uint min(uint a, uint b) { return a < b ? a : b; }
BUILTIN uint max(uint a, uint b) { return a > b ? a : b; }

// ---- atomics: what is added or set by one instruction ----

#if defined(__AMDGCN__)
#define ADD(place, value) __atomic_fetch_add(place, value, __ATOMIC_RELAXED)
#define OR(place, value)  __atomic_fetch_or(place, value, __ATOMIC_RELAXED)
#else
#define ADD(place, value) __sync_fetch_and_add(place, value)
#define OR(place, value)  __sync_fetch_and_or(place, value)
#endif
BUILTIN uint atomic_add(volatile global uint *place, uint value) { return ADD(place, value); }
BUILTIN uint atomic_add(volatile local uint *place, uint value) { return ADD(place, value); }
BUILTIN uint atomic_inc(volatile global uint *place) { return ADD(place, 1u); }
BUILTIN uint atomic_or(volatile global uint *place, uint value) { return OR(place, value); }
