//! Cloning, resubmission and recirculation: asked for by a call, done at the end of ingress or egress (v1model.p4, BMv2's
//! `simple_switch.md`). Of several calls the last one counts.

use crate::reference::{Machine, Result, Value, unsupported};
use p4_types::typed::{AnnotationBody, Argument, Field, Type, Value as Literal, find_annotation};

impl Machine<'_> {
    /// `clone` and `clone_preserving_field_list`: which of both types is asked for, where they are called says as well.
    pub(super) fn ask_for_clone(&mut self, args: &[Argument]) -> Result<()> {
        let (session, list) = match args {
            [_, Argument { value: Some(session), .. }] => (session, None),
            [_, Argument { value: Some(session), .. }, Argument { value: Some(list), .. }] => (session, Some(list)),
            _ => return unsupported("this clone"),
        };
        let session = self.evaluate(session)?.bits()?;
        let list = list.map(|list| self.evaluate(list)?.bits()).transpose()?;
        self.passage.clone = Some((session as u32, list.map(|list| list as u32)));
        Ok(())
    }

    /// `resubmit_preserving_field_list` and `recirculate_preserving_field_list`.
    pub(super) fn ask_for_recirculation(&mut self, args: &[Argument]) -> Result<()> {
        let [Argument { value: Some(list), .. }] = args else { return unsupported("this list of fields") };
        self.passage.recirculation = Some(self.evaluate(list)?.bits()? as u32);
        Ok(())
    }

    /// The user's metadata of a packet that begins anew: zero, but for the fields annotated with that list.
    pub(super) fn preserved(&self, list: Option<u32>, value: &Value, ty: &Type) -> Value {
        match (value, self.program.representation(ty)) {
            (Value::Struct(parts), Type::Struct(id)) => {
                let fields = parts.iter().zip(&self.program[id].fields);
                Value::Struct(
                    fields
                        .map(|(part, field)| match is_in(field, list) {
                            true => part.clone(),
                            false => self.preserved(list, part, &field.ty),
                        })
                        .collect(),
                )
            }
            (_, ty) => Value::zero(self.program, &ty),
        }
    }
}

fn is_in(field: &Field, list: Option<u32>) -> bool {
    let Some(list) = list else { return false };
    match find_annotation(&field.annotations, "field_list").map(|annotation| &annotation.body) {
        Some(AnnotationBody::Values(values)) => {
            values.iter().any(|value| matches!(value, Literal::Int(number) if *number == list.into()))
        }
        _ => false,
    }
}
