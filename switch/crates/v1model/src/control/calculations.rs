//! Hash calculations whose parameters the control plane may change.

use crate::custom_crc::CustomCrc;
use crate::switch::Switch;
use crate::types::{ControlError, CrcParameters};

impl Switch {
    /// Whether the program has a calculation of that name, of whatever algorithm.
    #[must_use]
    pub fn has_calculation(&self, name: &str) -> bool {
        self.program.as_deref().is_some_and(|program| program.calculation_names.contains_key(name))
    }

    /// Changes a calculation of the algorithm `crc16_custom` or `crc32_custom`, named as in the program's JSON, until a program
    /// is loaded.
    ///
    /// # Errors
    /// No program, or no such calculation with that many bits.
    pub fn crc_parameters_set(
        &mut self,
        calculation: &str,
        width: u32,
        parameters: CrcParameters,
    ) -> Result<(), ControlError> {
        let program = self.program.as_deref().ok_or(ControlError::NoProgram)?;
        let found = program.calculation_names.get(calculation).map(|index| *index as usize);
        let with_width = |index: &usize| program.calculations[*index].algorithm.custom_width() == Some(width);
        let index = found.filter(with_width).ok_or_else(|| ControlError::Unknown {
            kind: "CRC calculation of that width",
            name: calculation.to_owned(),
        })?;
        let custom = &mut self.memory.custom_crcs;
        custom.resize_with(program.calculations.len(), || None);
        custom[index] = Some(Box::new(CustomCrc::new(width, parameters)));
        Ok(())
    }
}
