extern void f<T, T>(in T x);
