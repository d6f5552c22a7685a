struct box<T> { T t; }
const box<_> b = { t = 5 };
