control C();
package P(C c);
control d()(P p) { apply { } }
