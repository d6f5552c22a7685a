void f() { exit; }
