//! `for` loops.

use super::Checker;
use super::scope::Symbol;
use crate::typed::{ForDomain, KeySet, StatementKind, Type, Variable, VariableKind};
use p4_syntax::{Kind, ast};

impl<'a> Checker<'a> {
    pub(super) fn for_loop(
        &mut self,
        init: &'a [ast::Statement],
        condition: &'a ast::Expr,
        update: &'a [ast::Statement],
        body: &'a ast::Statement,
    ) -> StatementKind {
        self.scoped(|checker| {
            let init = checker.statements(init);
            let condition = checker.condition(condition);
            let update = checker.statements(update);
            let body = checker.loop_body(body);
            StatementKind::For { init, condition, update, body }
        })
    }

    fn loop_body(&mut self, body: &'a ast::Statement) -> crate::typed::Block {
        self.context.loops += 1;
        let block = self.statement_block(body);
        self.context.loops -= 1;
        block
    }

    pub(super) fn for_in(
        &mut self,
        ty: Option<&'a ast::Type>,
        annotations: &'a [ast::Annotation],
        variable: &'a ast::Ident,
        domain: &'a ast::Expr,
        body: &'a ast::Statement,
    ) -> Option<StatementKind> {
        self.scoped(|checker| {
            let declared = ty.map(|ty| checker.value_type(ty));
            let known = if declared.is_none() { checker.variable_named(variable) } else { None };
            let ty = match (&declared, known) {
                (Some(ty), _) => ty.clone(),
                (None, Some(id)) => checker.program[id].ty.clone(),
                (None, None) => {
                    checker.report_unknown(variable, "variable");
                    return None;
                }
            };
            let domain = checker.for_domain(domain, &ty)?;
            let id = match known {
                Some(id) => id,
                None => {
                    let annotations = checker.annotations(annotations);
                    let id = checker.new_variable(Variable {
                        name: variable.name.clone(),
                        ty,
                        kind: VariableKind::Local,
                        annotations,
                        span: variable.span,
                    });
                    checker.declare(variable, Symbol::Variable(id));
                    id
                }
            };
            let body = checker.loop_body(body);
            Some(StatementKind::ForIn { variable: id, domain, body })
        })
    }

    fn for_domain(&mut self, domain: &'a ast::Expr, ty: &Type) -> Option<ForDomain> {
        if let ast::ExprKind::Range(..) = &domain.kind {
            let base = self.program.representation(ty);
            if !matches!(base, Type::Bit(_) | Type::Int(_) | Type::Unknown) {
                let message = format!("a variable of type '{}' cannot run over a range of numbers", self.show(ty));
                self.error(domain.span, message);
                return None;
            }
            let set = self.key_set(domain, ty);
            return match set {
                KeySet::Range(..) => Some(ForDomain::Set(set)),
                _ => None,
            };
        }
        let want = Type::List(std::rc::Rc::new(ty.clone()));
        let want = matches!(domain.kind, ast::ExprKind::List(_)).then_some(want);
        let value = self.expr(domain, want.as_ref());
        let element = match &value.ty {
            Type::Stack(element, _) | Type::List(element) => (**element).clone(),
            Type::Tuple(items) => match items.first() {
                Some(first) if items.iter().all(|item| item == first) => first.clone(),
                _ => {
                    self.error(domain.span, "a loop can only run over a tuple whose elements have one type");
                    return None;
                }
            },
            Type::Unknown => return None,
            other => {
                let message = format!("a loop cannot run over a value of type '{}'", self.show(other));
                self.error_of(Kind::Unsupported, domain.span, message)
                    .help("it can run over low..high, header stacks and lists");
                return None;
            }
        };
        if element != *ty && !self.converts(&element, ty) {
            let message = format!(
                "the variable has type '{}', but the elements are of type '{}'",
                self.show(ty),
                self.show(&element)
            );
            self.error(domain.span, message);
            return None;
        }
        Some(ForDomain::Elements(value))
    }
}
