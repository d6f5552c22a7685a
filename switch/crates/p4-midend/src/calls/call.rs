//! Calls: inlining of functions, actions and controls, and built-in methods.

use crate::blocks::context::ContextKind;
use crate::calls::effects::{Body, later_effects};
use crate::code::structured::{BlockLabel, Code};
use crate::lowerer::Lowerer;
use crate::storage::place::{Binding, ObjectRef, Place, Value};
use p4_ir::expr::{Expr, ExprKind};
use p4_ir::ops::{AnyStack, Op};
use p4_ir::storage::{FieldRef, HeaderId};
use p4_syntax::Span;
use p4_types::typed::{
    self, ActionId, Argument, Block, Call, Callee, ControlId, Direction, FunctionId, Local, Object, Parameter,
    StatementKind, Type, VarId,
};
use std::collections::HashSet;

/// A part of the storage, to find out whether accesses overlap.
#[derive(Default)]
pub struct Touched {
    fields: HashSet<FieldRef>,
    headers: HashSet<HeaderId>,
}

impl Touched {
    fn has_field(&self, field: FieldRef) -> bool {
        self.fields.contains(&field) || self.headers.contains(&field.header)
    }
}

/// A parameter whose argument gets its final value back.
#[derive(Clone)]
pub struct CopyBack {
    from: Place,
    to: Place,
    ty: Type,
    span: Span,
}

/// How an argument was evaluated.
enum Evaluated {
    Value(Value),
    /// Of an `inout` argument also its value, if later arguments may change that.
    Place(Place, Option<Value>),
    Nothing,
}

impl Lowerer<'_> {
    /// A call and its result.
    pub fn call(&mut self, call: &Call) -> Value {
        match &call.callee {
            Callee::Function(id) => {
                let result = self.expansion(call.span, |this| this.inline_function(*id, call));
                result.unwrap_or(Value::Nothing)
            }
            Callee::Action(id) => {
                if self.enclosing.action_depth == 0 {
                    let name = self.action_name(*id);
                    self.visible.direct_actions.push((self.enclosing.context, *id, name));
                }
                self.enclosing.action_depth += 1;
                self.expansion(call.span, |this| this.inline_action(*id, &call.args));
                self.enclosing.action_depth -= 1;
                Value::Nothing
            }
            Callee::ExternFunction(id) => self.extern_function(*id, call),
            Callee::Method { object, method } => self.method(*object, *method, call),
            Callee::Apply(object) => {
                self.expansion(call.span, |this| this.apply_object(*object, call));
                Value::Nothing
            }
            Callee::Table(id) => {
                self.apply_table(*id, crate::code::structured::AfterTable::Nothing);
                Value::Nothing
            }
            Callee::IsValid(header) => {
                let value = self.value(header);
                Value::Scalar(self.validity(&value, header.span))
            }
            Callee::SetValid(header) => self.set_validity(header, true),
            Callee::SetInvalid(header) => self.set_validity(header, false),
            Callee::PushFront(stack, count) | Callee::PopFront(stack, count) => {
                let any = match self.place(stack) {
                    Some(Place::Stack(id)) => AnyStack::Headers(id),
                    Some(Place::UnionStack(id)) => AnyStack::Unions(id),
                    _ => {
                        self.error(stack.span, "BMv2 cannot push to or pop from this");
                        return Value::Nothing;
                    }
                };
                self.emit(match call.callee {
                    Callee::PushFront(..) => Op::PushFront(any, *count),
                    _ => Op::PopFront(any, *count),
                });
                Value::Nothing
            }
        }
    }

    fn set_validity(&mut self, header: &typed::Expr, valid: bool) -> Value {
        if let Some(place) = self.place(header) {
            self.set_place_validity(&place, valid, header.span);
        }
        Value::Nothing
    }

    fn set_place_validity(&mut self, place: &Place, valid: bool, span: Span) {
        match place {
            Place::Header(header) if valid => self.emit(Op::SetValid(*header)),
            Place::Header(header) => self.storage.invalidation(*header).for_each(|op| self.emit(op)),
            Place::Union(union) if !valid => {
                for member in self.storage.program.unions[union.index()].members.clone() {
                    self.emit(Op::SetInvalid(member));
                }
            }
            Place::Element(index, elements) => {
                let index = self.settled_index(index, elements.len());
                self.for_element(&index, elements.len(), |this, number| {
                    this.set_place_validity(&elements[number].clone(), valid, span);
                });
            }
            Place::Nowhere => {}
            other => match self.storage.as_element(other) {
                element @ Place::Element(..) => self.set_place_validity(&element, valid, span),
                _ => self.error(span, "BMv2 cannot change the validity of this"),
            },
        }
    }

    /// Makes all headers in a place invalid, as they are in `out` parameters and variables at the beginning.
    pub fn reset_headers(&mut self, place: &Place) {
        match place {
            Place::Header(header) => self.emit(Op::SetInvalid(*header)),
            Place::Union(union) => {
                for member in self.storage.program.unions[union.index()].members.clone() {
                    self.emit(Op::SetInvalid(member));
                }
            }
            Place::Stack(_) | Place::UnionStack(_) => {
                for element in self.elements(place) {
                    self.reset_headers(&element);
                }
            }
            Place::Struct(parts) => {
                for part in parts.iter() {
                    self.reset_headers(part);
                }
            }
            _ => {}
        }
    }

    // Inlining -----------------------------------------------------------------------------

    fn inline_function(&mut self, id: FunctionId, call: &Call) -> Value {
        let typed = self.typed;
        let function = &typed[id];
        let copies = self.bind(&function.params, &call.args, Body::Function(id), false);
        if let [only] = &function.body.statements[..]
            && let StatementKind::Return(Some(value)) = &only.kind
            && copies.is_empty()
        {
            let returned = self.value(value);
            // The next call of this function may write the places that its parameters keep.
            let is_kept =
                |param: &Parameter| matches!(self.bindings.variables.get(&param.var), Some(Binding::Place(_)));
            let is_own = function.params.iter().any(is_kept);
            return if is_own { self.snapshot(returned, &call.result) } else { returned };
        }
        let result = match self.storage.scalar_type(&call.result) {
            Some(ty) => Place::Field(self.storage.temporary(ty), ty),
            None if call.result == Type::Void => Place::Nowhere,
            None => self.storage.allocate("result", &call.result),
        };
        self.body(&function.body, result.clone());
        self.copy_back(&copies);
        self.read(&result)
    }

    /// Inlines an action that is called from a body.
    pub fn inline_action(&mut self, id: ActionId, args: &[Argument]) {
        let action = &self.typed[id];
        self.inline_block(&action.params, args, Body::Action(id), &action.body);
    }

    /// Inlines a body without result.
    pub fn inline_block(&mut self, params: &[Parameter], args: &[Argument], body: Body, block: &Block) {
        let copies = self.bind(params, args, body, false);
        self.within_copies(copies, |this| this.body(block, Place::Nowhere));
    }

    fn apply_object(&mut self, object: Object, call: &Call) {
        let Some(ObjectRef::Context(context)) = self.resolve(object) else {
            self.error(call.span, "this object cannot be applied");
            return;
        };
        let applications = &self.contexts[self.enclosing.context].applications;
        let several = applications.get(&object).copied().unwrap_or(0) > 1;
        let typed = self.typed;
        match self.contexts[context].kind {
            ContextKind::Program => {}
            ContextKind::Control(control) => {
                let params = &typed[control].params;
                // Tables see one place for a parameter, wherever they are applied.
                let several = several && crate::calls::effects::has_tables(typed, control);
                let copies = self.bind(params, &call.args, Body::Control(control), several);
                self.within_copies(copies, |this| this.control_body(context, control));
            }
            ContextKind::Parser(parser) => {
                let params = &typed[parser].params;
                let copies = self.bind(params, &call.args, Body::Parser(parser), false);
                self.inline_parser(context, parser);
                self.copy_back(&copies);
            }
        }
    }

    /// The body of a control in its context; parameters are bound already.
    pub fn control_body(&mut self, context: usize, control: ControlId) {
        let outer = self.enter(context);
        let declared = &self.typed[control];
        self.locals(&declared.locals);
        self.body(&declared.body, Place::Nowhere);
        self.enter(outer);
    }

    /// Gives local variables their initial values.
    pub fn locals(&mut self, locals: &[Local]) {
        for local in locals {
            if let Local::Variable(var, init) = local {
                let span = self.typed[*var].span;
                self.statement_scope(span, |this| this.declare(*var, init.as_ref()));
            }
        }
    }

    /// A body that `return` leaves.
    fn body(&mut self, block: &Block, result: Place) {
        let label = self.new_label();
        self.enclosing.returns.push((label, result));
        let loops = std::mem::take(&mut self.enclosing.loops);
        let (mut code, ()) = self.capture(|this| this.block(block));
        self.enclosing.loops = loops;
        self.enclosing.returns.pop();
        if matches!(code.last(), Some(Code::Leave(last)) if *last == label) {
            code.pop();
        }
        if leaves(&code, label) {
            self.emitter.push(Code::Block(label, code));
        } else {
            self.emitter.extend(code);
        }
    }

    // Arguments ----------------------------------------------------------------------------

    /// Binds parameters to arguments. A parameter gets storage of its own only if the callee could
    /// otherwise see or make a change it must not; `separate` forces that for all of them.
    fn bind(&mut self, params: &[Parameter], args: &[Argument], body: Body, separate: bool) -> Vec<CopyBack> {
        let evaluated = self.evaluate_arguments(args);
        let written = self.effects.written(self.typed, body);
        let touched = self.touched(params, &evaluated, &written);
        let read = self.read_by(body);
        let mut copies = vec![];
        let mut bindings = vec![];
        // Only when all values have been copied in.
        let mut resets = vec![];
        for (position, (param, evaluated_arg)) in params.iter().zip(&evaluated).enumerate() {
            let span = args.get(position).and_then(|a| Some(a.value.as_ref()?.span));
            let span = span.unwrap_or_default();
            let binding = match evaluated_arg {
                Evaluated::Nothing => {
                    if self.storage.scalar_type(&param.ty).is_none() && is_object(&param.ty) {
                        continue;
                    }
                    Binding::Place(self.storage.local_place(param.var))
                }
                Evaluated::Value(value) => {
                    let keep = !separate
                        && is_cheap(value)
                        && !written.contains(&param.var)
                        && !self.value_touches(value, &touched);
                    if keep {
                        Binding::Value(value.clone())
                    } else {
                        let place = self.storage.local_place(param.var);
                        self.assign(&place, value, &param.ty, span);
                        Binding::Place(place)
                    }
                }
                Evaluated::Place(place, copied_in) => {
                    let extracts = matches!(body, Body::Parser(id) if self.only_extracts(id, param.var));
                    let by_name = matches!(self.storage.as_element(place), Place::Element(..))
                        && !matches!(place, Place::Element(..));
                    let place = &if by_name && !extracts { self.settled(place) } else { place.clone() };
                    let changed = param.direction == Direction::Out || written.contains(&param.var);
                    let read_by_name = changed && self.value_touches(&Value::Place(place.clone()), &read);
                    let has_own = separate
                        || copied_in.is_some()
                        || read_by_name
                        || !is_simple(place)
                        || self.storage.is_union_member(place)
                        || self.overlaps_others(place, position, &evaluated, &written, params);
                    if !has_own {
                        if param.direction == Direction::Out {
                            resets.push(place.clone());
                        }
                        Binding::Place(place.clone())
                    } else {
                        let own = self.storage.local_place(param.var);
                        if param.direction == Direction::InOut {
                            let value = copied_in.clone().unwrap_or_else(|| self.read(place));
                            self.assign(&own, &value, &param.ty, span);
                        } else {
                            self.reset_headers(&own);
                        }
                        copies.push(CopyBack { from: own.clone(), to: place.clone(), ty: param.ty.clone(), span });
                        Binding::Place(own)
                    }
                }
            };
            bindings.push((param.var, binding));
        }
        for place in &resets {
            self.reset_headers(place);
        }
        self.bindings.variables.extend(bindings);
        copies
    }

    /// Gives arguments the final values of their parameters, from left to right.
    pub fn copy_back(&mut self, copies: &[CopyBack]) {
        for copy in copies {
            let value = self.read(&copy.from);
            self.assign(&copy.to, &value, &copy.ty, copy.span);
        }
    }

    /// Evaluates arguments from left to right.
    fn evaluate_arguments(&mut self, args: &[Argument]) -> Vec<Evaluated> {
        let later = later_effects(args.iter().map(|arg| arg.value.as_ref().is_some_and(typed::Expr::has_effects)));
        let mut evaluated = vec![];
        let mut objects = vec![];
        for (position, (arg, may_change)) in args.iter().zip(later).enumerate() {
            let Some(expr) = &arg.value else {
                evaluated.push(Evaluated::Nothing);
                continue;
            };
            if is_object(&arg.ty) {
                if let Some(object) = self.object(expr) {
                    objects.push((position, object));
                }
                evaluated.push(Evaluated::Nothing);
                continue;
            }
            evaluated.push(match arg.direction {
                Direction::None | Direction::In => {
                    let value = self.value(expr);
                    Evaluated::Value(if may_change { self.snapshot(value, &arg.ty) } else { value })
                }
                Direction::Out | Direction::InOut => match self.place(expr) {
                    Some(place) => {
                        let place = self.stable(place);
                        let copied_in = arg.direction == Direction::InOut && may_change;
                        let value = copied_in.then(|| {
                            let value = self.read(&place);
                            self.snapshot(value, &arg.ty)
                        });
                        Evaluated::Place(place, value)
                    }
                    None => Evaluated::Nothing,
                },
            });
        }
        self.bindings.pending = objects;
        evaluated
    }

    /// A place that stays the same when something is extracted.
    pub fn settled(&mut self, place: &Place) -> Place {
        match self.storage.as_element(place) {
            Place::Element(index, elements) => {
                let index = self.settled_index(&index, elements.len());
                Place::Element(Box::new(index), elements)
            }
            other => self.stable(other),
        }
    }

    /// A place whose run-time index cannot change any more.
    pub fn stable(&mut self, place: Place) -> Place {
        match place {
            Place::Element(index, elements) => {
                let index = self.save(*index);
                Place::Element(Box::new(index), elements)
            }
            Place::Slice(base, high, low) => Place::Slice(Box::new(self.stable(*base)), high, low),
            Place::PlusSlice(base, low, width) => {
                let base = Box::new(self.stable(*base));
                Place::PlusSlice(base, Box::new(self.save(*low)), width)
            }
            other => other,
        }
    }

    /// The storage that a call may write: its out arguments and variables of the enclosing control. Also binds
    /// parameters of object types.
    fn touched(&mut self, params: &[Parameter], evaluated: &[Evaluated], written: &HashSet<VarId>) -> Touched {
        for (position, object) in std::mem::take(&mut self.bindings.pending) {
            if let Some(param) = params.get(position) {
                self.bindings.objects.insert(param.var, object);
            }
        }
        let mut touched = Touched::default();
        for (param, evaluated) in params.iter().zip(evaluated) {
            if let Evaluated::Place(place, _) = evaluated
                && (written.contains(&param.var) || param.direction == Direction::Out)
            {
                self.add_place(place, &mut touched);
            }
        }
        let own: HashSet<VarId> = params.iter().map(|p| p.var).collect();
        for var in written.iter().filter(|var| !own.contains(var)) {
            if let Some(Binding::Place(place)) = self.bindings.variables.get(var).cloned() {
                self.add_place(&place, &mut touched);
            }
        }
        touched
    }

    /// The storage that a body reads under its own name.
    fn read_by(&mut self, body: Body) -> Touched {
        let mut touched = Touched::default();
        let Body::Action(action) = body else { return touched };
        for expr in self.reads.of(self.typed, action).iter() {
            let is_bound = crate::calls::effects::root_variable(expr)
                .is_some_and(|var| self.bindings.variables.contains_key(&var));
            if is_bound && let Some(place) = self.place(expr) {
                self.add_place(&place, &mut touched);
            }
        }
        touched
    }

    pub fn add_place(&self, place: &Place, touched: &mut Touched) {
        match place {
            Place::Field(field, _) | Place::Varbit(field) => {
                touched.fields.insert(*field);
            }
            Place::Header(header) => {
                touched.headers.insert(*header);
                touched.headers.extend(self.storage.other_members(*header));
            }
            Place::Struct(parts) | Place::Element(_, parts) => {
                for part in parts.iter() {
                    self.add_place(part, touched);
                }
            }
            Place::Union(union) => {
                let members = &self.storage.program.unions[union.index()].members;
                touched.headers.extend(members);
            }
            Place::Stack(_) | Place::UnionStack(_) => {
                for element in self.elements(place) {
                    self.add_place(&element, touched);
                }
            }
            Place::Slice(base, ..) | Place::PlusSlice(base, ..) => self.add_place(base, touched),
            Place::StackNext(stack) | Place::StackLast(stack) => {
                self.add_place(&Place::Stack(*stack), touched);
            }
            Place::StackLastField(stack, ..) => self.add_place(&Place::Stack(*stack), touched),
            Place::UnionStackNext(stack)
            | Place::UnionStackLast(stack)
            | Place::UnionStackNextMember(stack, _)
            | Place::UnionStackLastMember(stack, _)
            | Place::UnionStackLastField(stack, ..) => {
                self.add_place(&Place::UnionStack(*stack), touched);
            }
            Place::Nowhere => {}
        }
    }

    pub fn value_touches(&self, value: &Value, touched: &Touched) -> bool {
        match value {
            Value::Scalar(expr) => self.expr_touches(expr, touched),
            Value::Struct(parts) | Value::Header(parts) | Value::Stack(parts) => {
                parts.iter().any(|part| self.value_touches(part, touched))
            }
            Value::Place(place) => {
                let mut own = Touched::default();
                self.add_place(place, &mut own);
                if let Place::Element(index, _) = place
                    && self.expr_touches(index, touched)
                {
                    return true;
                }
                own.headers.iter().any(|h| touched.headers.contains(h) || touched.fields.iter().any(|f| f.header == *h))
                    || own.fields.iter().any(|f| touched.has_field(*f))
            }
            Value::Invalid | Value::Text(_) | Value::Nothing => false,
        }
    }

    fn expr_touches(&self, expr: &Expr, touched: &Touched) -> bool {
        let mut found = false;
        expr.walk(&mut |part| {
            found |= match &part.kind {
                ExprKind::Field(field) => touched.has_field(*field),
                ExprKind::Valid(header) => touched.headers.contains(header),
                ExprKind::ValidUnion(union) => {
                    let members = &self.storage.program.unions[union.index()].members;
                    members.iter().any(|m| touched.headers.contains(m))
                }
                ExprKind::StackLast(..) | ExprKind::UnionStackLast(..) | ExprKind::StackLastIndex(_) => {
                    !touched.headers.is_empty()
                }
                _ => false,
            };
        });
        found
    }

    /// Does the place overlap the place of another out argument, or a variable the callee writes
    /// under its own name?
    fn overlaps_others(
        &self,
        place: &Place,
        position: usize,
        evaluated: &[Evaluated],
        written: &HashSet<VarId>,
        params: &[Parameter],
    ) -> bool {
        let mut others = Touched::default();
        for (other, argument) in evaluated.iter().enumerate() {
            if let Evaluated::Place(place, _) = argument
                && other != position
            {
                self.add_place(place, &mut others);
            }
        }
        for var in written.iter() {
            if params.iter().any(|p| p.var == *var) {
                continue;
            }
            if let Some(Binding::Place(place)) = self.bindings.variables.get(var) {
                self.add_place(place, &mut others);
            }
        }
        if others.fields.is_empty() && others.headers.is_empty() {
            return false;
        }
        let value = Value::Place(place.clone());
        self.value_touches(&value, &others)
    }
}

/// Are values of this type objects?
fn is_object(ty: &Type) -> bool {
    matches!(ty, Type::Extern(..) | Type::Apply(..) | Type::Parser(_) | Type::Control(_) | Type::Package(..))
}

/// Is it no work to evaluate the value again at each use?
fn is_cheap(value: &Value) -> bool {
    let operation = |expr: &Expr| {
        matches!(expr.kind, ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Ternary(..) | ExprKind::Slice { .. })
    };
    !value.scalar().is_some_and(operation)
}

/// Can the place stand for a parameter as it is?
fn is_simple(place: &Place) -> bool {
    matches!(
        place,
        Place::Field(..)
            | Place::Varbit(_)
            | Place::Struct(_)
            | Place::Header(_)
            | Place::Union(_)
            | Place::Stack(_)
            | Place::UnionStack(_)
            | Place::StackNext(_)
            | Place::UnionStackNextMember(..)
    )
}

/// Does the code leave the block?
pub fn leaves(code: &[Code], label: BlockLabel) -> bool {
    code.iter().any(|piece| match piece {
        Code::Leave(target) => *target == label,
        Code::Block(_, body) | Code::Loop(_, body) => leaves(body, label),
        Code::If { then, otherwise, .. } => leaves(then, label) || leaves(otherwise, label),
        Code::Apply { then, .. } => match then {
            crate::code::structured::AfterTable::Nothing => false,
            crate::code::structured::AfterTable::HitMiss(hit, miss) => leaves(hit, label) || leaves(miss, label),
            crate::code::structured::AfterTable::Actions(cases, otherwise) => {
                cases.iter().any(|(_, code)| leaves(code, label)) || leaves(otherwise, label)
            }
        },
        Code::Op(_) | Code::Exit(_) | Code::Parse(_) => false,
    })
}
