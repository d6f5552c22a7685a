//! L-values: where something is kept.

use crate::reference::arithmetic::{slice, with_slice};
use crate::reference::{Interrupt, Machine, Result, Stop, Value, unsupported};
use p4_types::typed::{Expr, ExprKind, VarId};

/// An evaluated l-value: nothing in it changes any more, whatever is evaluated afterwards.
#[derive(Clone, Debug)]
pub(super) struct Place {
    variable: VarId,
    steps: Vec<Step>,
    /// Only these bits, highest and lowest.
    bits: Option<(u32, u32)>,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Part(usize),
    Element(usize),
}

impl Place {
    /// The place that this one is a part of, and the number of the part.
    pub(super) fn parent(&self) -> Option<(Place, usize)> {
        let (last, before) = self.steps.split_last()?;
        match (last, self.bits) {
            (Step::Part(part), None) => {
                Some((Place { variable: self.variable, steps: before.to_vec(), bits: None }, *part))
            }
            _ => None,
        }
    }
}

impl Machine<'_> {
    /// Evaluates an l-value.
    pub(super) fn place(&mut self, expr: &Expr) -> Result<Place> {
        let (base, step) = match &expr.kind {
            ExprKind::Var(variable) => return Ok(Place { variable: *variable, steps: vec![], bits: None }),
            ExprKind::Field { base, field } => (self.place(base)?, Step::Part(*field)),
            ExprKind::Index { base, index } => {
                let base = self.place(base)?;
                (base, Step::Element(self.index(index)?))
            }
            ExprKind::StackNext(base) => {
                let base = self.place(base)?;
                let next = match self.read(&base)? {
                    Value::Stack { elements, next } if *next < elements.len() => *next,
                    _ => return Err(Interrupt::Reject(self.error("StackOutOfBounds")?)),
                };
                (base, Step::Element(next))
            }
            ExprKind::Slice { base, high, low } => {
                let mut place = self.place(base)?;
                let from = place.bits.map_or(0, |(_, low)| low);
                place.bits = Some((from + high, from + low));
                return Ok(place);
            }
            ExprKind::PlusSlice { base, low, width } => {
                let mut place = self.place(base)?;
                let low = self.low_bit(low, &base.ty, *width)?;
                let from = place.bits.map_or(0, |(_, low)| low);
                place.bits = Some((from + low + width - 1, from + low));
                return Ok(place);
            }
            _ => return unsupported("this l-value"),
        };
        let mut place = base;
        place.steps.push(step);
        Ok(place)
    }

    /// An index, as a position.
    pub(super) fn index(&mut self, index: &Expr) -> Result<usize> {
        match self.evaluate(index)? {
            Value::Bits(bits) => Ok(usize::try_from(bits).unwrap_or(usize::MAX)),
            Value::Number(number) => Ok(usize::try_from(number).unwrap_or(usize::MAX)),
            _ => Err(Stop::Undefined("an index").into()),
        }
    }

    /// The value at a place; a slice of bits gives the whole value.
    pub(super) fn read(&self, place: &Place) -> Result<&Value> {
        place.steps.iter().try_fold(self.get(place.variable), |value, step| match *step {
            Step::Part(index) => value.part(index),
            Step::Element(index) => value.element(index),
        })
    }

    /// A copy of the value at a place; a slice of bits gives those bits.
    pub(super) fn load(&self, place: &Place) -> Result<Value> {
        let value = self.read(place)?;
        match (value, place.bits) {
            (Value::Undefined, _) | (_, None) => Ok(value.clone()),
            (value, Some((high, low))) => Ok(Value::Bits(slice(value.bits()?, high, low))),
        }
    }

    /// Writes; fields of an invalid header stay undefined.
    pub(super) fn store(&mut self, place: &Place, value: Value) -> Result<()> {
        let value = match place.bits {
            None => value,
            Some((high, low)) => match (self.read(place)?, value) {
                (Value::Undefined, _) | (_, Value::Undefined) => Value::Undefined,
                (old, new) => Value::Bits(with_slice(old.bits()?, high, low, new.bits()?)),
            },
        };
        if let Some(target) = self.target(place)? {
            *target = value;
        }
        self.one_member(place)
    }

    /// The value at a place, to be changed; nothing if it is within an invalid header.
    pub(super) fn target(&mut self, place: &Place) -> Result<Option<&mut Value>> {
        let mut value = &mut self.variables[place.variable.index()];
        for step in &place.steps {
            value = match (value, *step) {
                (
                    Value::Struct(parts) | Value::Union(parts) | Value::Header { valid: true, fields: parts },
                    Step::Part(index),
                ) => &mut parts[index],
                (Value::Header { valid: false, .. }, Step::Part(_)) => return Ok(None),
                (Value::Stack { elements, .. } | Value::Struct(elements), Step::Element(index)) => {
                    match elements.get_mut(index) {
                        Some(element) => element,
                        None => return Err(Stop::Undefined("an element that is not there").into()),
                    }
                }
                (Value::Undefined, _) => return Err(Stop::Undefined("a part of something undefined").into()),
                _ => return unsupported("a part of this"),
            };
        }
        Ok(Some(value))
    }

    /// `setValid()` and `setInvalid()`.
    pub(super) fn set_validity(&mut self, header: &Expr, to: bool) -> Result<()> {
        let place = self.place(header)?;
        if let Some(Value::Header { valid, fields }) = self.target(&place)? {
            if *valid != to {
                fields.fill(Value::Undefined);
            }
            *valid = to;
        }
        self.one_member(&place)
    }

    /// The number of an error of the core library.
    pub(super) fn error(&self, name: &str) -> Result<u32> {
        let found = self.program.errors.iter().position(|error| &*error.name == name);
        found.map_or_else(|| unsupported("a program without core.p4"), |index| Ok(index as u32))
    }
}
