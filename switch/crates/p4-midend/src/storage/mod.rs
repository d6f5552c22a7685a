//! Storage: headers, stacks, unions, variables, and the places in them.

pub mod allocation;
pub mod layouts;
pub mod place;
pub mod stack_element;
pub mod temporaries;
pub mod union_member;
