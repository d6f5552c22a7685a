//! Expressions that can be written to.

use super::Checker;
use crate::typed::{Direction, Expr, ExprKind, VariableKind};

impl Checker<'_> {
    /// Checks that the expression can be assigned to; otherwise a message.
    pub(super) fn require_lvalue(&mut self, expr: &Expr) -> bool {
        let why = match self.why_not_writable(expr) {
            None => return true,
            Some(why) => why,
        };
        self.error(expr.span, why);
        false
    }

    /// Why the expression cannot be written to; None if it can.
    fn why_not_writable(&self, expr: &Expr) -> Option<String> {
        match &expr.kind {
            ExprKind::Invalidated => None,
            ExprKind::Var(id) => {
                let variable = &self.program[*id];
                let name = &variable.name;
                match &variable.kind {
                    VariableKind::Local => None,
                    VariableKind::Parameter(Direction::Out | Direction::InOut) => None,
                    VariableKind::Parameter(Direction::In) => {
                        Some(format!("parameter '{name}' is 'in': it cannot be written to"))
                    }
                    VariableKind::Parameter(Direction::None) => {
                        Some(format!("parameter '{name}' has no direction: it cannot be written to"))
                    }
                    _ => Some(format!("'{name}' cannot be written to")),
                }
            }
            ExprKind::Field { base, .. }
            | ExprKind::Index { base, .. }
            | ExprKind::Slice { base, .. }
            | ExprKind::PlusSlice { base, .. } => self.why_not_writable(base),
            ExprKind::StackNext(base) | ExprKind::StackLast(base) => self.why_not_writable(base),
            ExprKind::StackLastIndex(_) => Some("'lastIndex' cannot be written to".into()),
            _ => Some("this is not something that can be written to".into()),
        }
    }
}
