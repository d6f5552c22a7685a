//! `packet_in` and `packet_out`.

use crate::reference::place::Place;
use crate::reference::{Interrupt, Machine, Result, Stop, Value, unsupported};
use p4_types::typed::{Argument, Call, Expr, ExprKind, Program, StructId, Type};

/// A packet and how far it has been read.
#[derive(Default)]
pub(super) struct Reader {
    data: Vec<u8>,
    bit: usize,
}

impl Reader {
    pub fn new(data: Vec<u8>) -> Self {
        Self { data, bit: 0 }
    }

    fn left(&self) -> usize {
        self.data.len() * 8 - self.bit
    }

    /// The next bits, at most 128; the caller has seen that they are there.
    fn take(&mut self, width: u32) -> u128 {
        let mut value = 0;
        for _ in 0..width {
            let byte = self.data[self.bit / 8];
            value = value << 1 | u128::from(byte >> (7 - self.bit % 8) & 1);
            self.bit += 1;
        }
        value
    }

    /// The unread bytes; nothing if they do not begin with a whole byte.
    pub fn rest(&self) -> Option<Vec<u8>> {
        self.bit.is_multiple_of(8).then(|| self.data[self.bit / 8..].to_vec())
    }
}

/// The bits that have been emitted.
#[derive(Default)]
pub(super) struct Writer {
    bits: Vec<bool>,
}

impl Writer {
    pub fn put(&mut self, value: u128, width: u32) {
        self.bits.extend((0..width).rev().map(|bit| value >> bit & 1 == 1));
    }

    /// As bytes, if they are whole.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        let byte = |bits: &[bool]| bits.iter().fold(0, |byte, bit| byte << 1 | u8::from(*bit));
        self.bits.len().is_multiple_of(8).then(|| self.bits.chunks(8).map(byte).collect())
    }
}

impl Machine<'_> {
    /// A method of `packet_in` or `packet_out`.
    pub(super) fn packet_method(&mut self, name: &str, call: &Call) -> Result<Option<Value>> {
        match (name, call.args.as_slice()) {
            ("extract", [Argument { value: Some(header), .. }]) => self.extract(header).map(|()| None),
            ("extract", [Argument { value: Some(header), .. }, Argument { value: Some(width), .. }]) => {
                self.extract_variable(header, width).map(|()| None)
            }
            ("lookahead", []) => {
                let before = self.reader.bit;
                let value = self.next_value(&call.result);
                self.reader.bit = before;
                value.map(Some)
            }
            ("advance", [Argument { value: Some(bits), .. }]) => {
                let bits = self.evaluate(bits)?.bits()?;
                if bits > self.reader.left() as u128 {
                    return Err(Interrupt::Reject(self.error("PacketTooShort")?));
                }
                self.reader.bit += bits as usize;
                Ok(None)
            }
            ("emit", [Argument { value: Some(header), .. }]) => {
                let (value, ty) = (self.evaluate(header)?, header.ty.clone());
                self.emit(&value, &ty).map(|()| None)
            }
            _ => unsupported(name),
        }
    }

    fn extract(&mut self, header: &Expr) -> Result<()> {
        let place = self.place(header)?;
        let value = self.next_value(&header.ty)?;
        self.extracted(header, &place, value)
    }

    /// `extract` of a header with a field of variable width.
    fn extract_variable(&mut self, header: &Expr, width: &Expr) -> Result<()> {
        let place = self.place(header)?;
        let width = self.evaluate(width)?.bits()?;
        let Type::Header(id) = self.program.representation(&header.ty) else { return unsupported("extracting this") };
        let fields = &self.program[id].fields;
        let (mut bits, mut most) = (0, 0);
        for field in fields {
            match self.program.representation(&field.ty) {
                Type::Varbit(width) => most = width,
                ty => bits += self.program.width(&ty).unwrap_or_default(),
            }
        }
        if bits as u128 + width > self.reader.left() as u128 {
            return Err(Interrupt::Reject(self.error("PacketTooShort")?));
        }
        if width > u128::from(most.min(128)) {
            return Err(Interrupt::Reject(self.error("HeaderTooShort")?));
        }
        let mut values = vec![];
        for field in fields {
            values.push(match self.program.representation(&field.ty) {
                Type::Varbit(_) => Value::Varbit { bits: self.reader.take(width as u32), width: width as u32 },
                ty => read(self.program, &mut self.reader, &ty)?,
            });
        }
        self.extracted(header, &place, Value::Header { valid: true, fields: values })
    }

    fn extracted(&mut self, header: &Expr, place: &Place, value: Value) -> Result<()> {
        self.store(place, value)?;
        if let ExprKind::StackNext(stack) = &header.kind {
            let stack = self.place(stack)?;
            if let Some(Value::Stack { next, .. }) = self.target(&stack)? {
                *next += 1;
            }
        }
        Ok(())
    }

    /// Reads a value of that type, if the packet is long enough.
    fn next_value(&mut self, ty: &Type) -> Result<Value> {
        match self.program.width(ty) {
            Some(width) if width <= self.reader.left() as u64 => read(self.program, &mut self.reader, ty),
            Some(_) => Err(Interrupt::Reject(self.error("PacketTooShort")?)),
            None => unsupported("extracting this"),
        }
    }

    fn emit(&mut self, value: &Value, ty: &Type) -> Result<()> {
        match (value, self.program.representation(ty)) {
            (Value::Header { valid: false, .. }, _) => Ok(()),
            (Value::Struct(parts) | Value::Header { fields: parts, .. }, Type::Struct(id) | Type::Header(id)) => {
                let fields = &self.program[id].fields;
                parts.iter().zip(fields).try_for_each(|(part, field)| self.emit(part, &field.ty))
            }
            (Value::Stack { elements, .. }, Type::Stack(element, _)) => {
                elements.iter().try_for_each(|value| self.emit(value, &element))
            }
            (Value::Union(members), Type::Union(id)) => {
                let fields = &self.program[id].fields;
                members.iter().zip(fields).try_for_each(|(member, field)| self.emit(member, &field.ty))
            }
            (Value::Varbit { bits, width }, _) => {
                self.writer.put(*bits, *width);
                Ok(())
            }
            (Value::Bool(truth), _) => {
                self.writer.put(u128::from(*truth), 1);
                Ok(())
            }
            (Value::Bits(bits), ty) => {
                self.writer.put(*bits, self.format(&ty)?.width);
                Ok(())
            }
            (Value::Undefined, _) => Err(Stop::Undefined("an emitted field").into()),
            _ => unsupported("emitting this"),
        }
    }
}

/// Reads a value; there are enough bits.
fn read(program: &Program, reader: &mut Reader, ty: &Type) -> Result<Value> {
    let parts = |reader: &mut Reader, id: StructId| {
        let fields = &program[id].fields;
        fields.iter().map(|field| read(program, reader, &field.ty)).collect::<Result<Vec<_>>>()
    };
    match program.representation(ty) {
        Type::Bool => Ok(Value::Bool(reader.take(1) == 1)),
        Type::Bit(width) | Type::Int(width) if width <= 128 => Ok(Value::Bits(reader.take(width))),
        Type::Struct(id) => Ok(Value::Struct(parts(reader, id)?)),
        Type::Header(id) => Ok(Value::Header { valid: true, fields: parts(reader, id)? }),
        _ => unsupported("extracting this"),
    }
}
