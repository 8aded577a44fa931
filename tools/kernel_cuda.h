// kernel_cuda.h - as much of OpenCL C in CUDA's C++ as the texts in kernels/ need
//
// tools/kernel_report.sh has the preprocessor turn address spaces and function specifiers into CUDA's words, puts this
// file before the result and gives both to nvcc. Dimension 0 only. CUDA's own vectors have no operators.
#include <stddef.h>

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

#define BUILTIN static __device__ __forceinline__

// ---- vectors ----

template <typename T> struct __align__(2 * sizeof(T)) vector2 {
    T x, y;
    __device__ vector2() {}
    __device__ vector2(T all) : x(all), y(all) {}
    __device__ vector2(T a, T b) : x(a), y(b) {}
    __device__ vector2 turned() const { return vector2(y, x); }
};
template <typename T> struct __align__(sizeof(T) == 8 ? 16 : 4 * sizeof(T)) vector4 {
    union { T x, s0; };
    union { T y, s1; };
    union { T z, s2; };
    union { T w, s3; };
    __device__ vector4() {}
    __device__ vector4(T all) : x(all), y(all), z(all), w(all) {}
    __device__ vector4(T a, T b, T c, T d) : x(a), y(b), z(c), w(d) {}
    __device__ vector4 inner_turned() const { return vector4(x, z, y, w); }
    __device__ vector4 turned() const { return vector4(w, z, y, x); }
};
#define uint2  vector2<uint>
#define uint4  vector4<uint>
#define int4   vector4<uint> // what a comparison gives: all bits where it holds
#define ulong4 vector4<ulong>
#define yx     turned()
#define s3210  turned()
#define s0213  inner_turned()

#define VECTOR_OPERATOR(op)                                                                                  \
    template <typename T> BUILTIN vector2<T> operator op(vector2<T> a, vector2<T> b)                         \
    {                                                                                                        \
        return vector2<T>(a.x op b.x, a.y op b.y);                                                           \
    }                                                                                                        \
    template <typename T> BUILTIN vector4<T> operator op(vector4<T> a, vector4<T> b)                         \
    {                                                                                                        \
        return vector4<T>(a.x op b.x, a.y op b.y, a.z op b.z, a.w op b.w);                                   \
    }                                                                                                        \
    template <typename T> BUILTIN vector2<T> operator op(vector2<T> a, T b) { return a op vector2<T>(b); }   \
    template <typename T> BUILTIN vector4<T> operator op(vector4<T> a, T b) { return a op vector4<T>(b); }   \
    template <typename V, typename W> BUILTIN V &operator op##=(V &a, W b) { return a = a op b; }
VECTOR_OPERATOR(&)
VECTOR_OPERATOR(|)
VECTOR_OPERATOR(^)
VECTOR_OPERATOR(<<)
VECTOR_OPERATOR(>>)
template <typename T> BUILTIN vector2<T> operator~(vector2<T> a) { return vector2<T>(~a.x, ~a.y); }
template <typename T> BUILTIN vector4<T> operator~(vector4<T> a) { return vector4<T>(~a.x, ~a.y, ~a.z, ~a.w); }
BUILTIN int4 operator!=(uint4 a, uint4 b)
{
    return int4(a.x != b.x ? ~0u : 0, a.y != b.y ? ~0u : 0, a.z != b.z ? ~0u : 0, a.w != b.w ? ~0u : 0);
}

// ---- built-in functions ----

BUILTIN size_t get_local_id(uint) { return threadIdx.x; }
BUILTIN size_t get_group_id(uint) { return blockIdx.x; }
BUILTIN size_t get_local_size(uint) { return blockDim.x; }
BUILTIN size_t get_global_id(uint) { return (size_t)blockIdx.x * blockDim.x + threadIdx.x; }
#define CLK_LOCAL_MEM_FENCE 1
#define barrier(fence)      __syncthreads()

BUILTIN uint popcount(uint x) { return __popc(x); }
BUILTIN ulong popcount(ulong x) { return __popcll(x); }
BUILTIN uint4 popcount(uint4 x) { return uint4(__popc(x.x), __popc(x.y), __popc(x.z), __popc(x.w)); }
BUILTIN uint clz(uint x) { return __clz(x); }
BUILTIN ulong clz(ulong x) { return __clzll(x); }
BUILTIN bool any(int4 x) { return (int)(x.x | x.y | x.z | x.w) < 0; }
BUILTIN uint atomic_add(uint *place, uint value) { return atomicAdd(place, value); }
BUILTIN uint atomic_inc(uint *place) { return atomicAdd(place, 1u); }
BUILTIN uint atomic_or(uint *place, uint value) { return atomicOr(place, value); }
