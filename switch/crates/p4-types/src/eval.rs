//! Folding of expressions whose constructor parameters are known.

use crate::typed::{Expr, VarId};

/// The value of an expression: a literal, or a structure or list of literals.
///
/// `environment` gives the values of constructor parameters. `None` if it is not known at compile time.
pub fn evaluate(expr: &Expr, environment: &dyn Fn(VarId) -> Option<Expr>) -> Option<Expr> {
    let _ = (expr, environment);
    None
}
