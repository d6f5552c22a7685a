control c() { apply { void v; } }
