//! Where values live: header types, header instances, stacks, unions, and fields.

use crate::Source;
use crate::index_type;

index_type!(
    /// A [`HeaderType`].
    HeaderTypeId
);
index_type!(
    /// A [`HeaderInstance`].
    HeaderId
);
index_type!(
    /// A [`Stack`] of headers.
    StackId
);
index_type!(
    /// A [`UnionType`].
    UnionTypeId
);
index_type!(
    /// A [`Union`].
    UnionId
);
index_type!(
    /// A [`UnionStack`].
    UnionStackId
);

/// The width of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldWidth {
    /// Fixed number of bits.
    Bits(u32),
    /// `varbit` of at most this many bits.
    Varbit(u32),
}

impl FieldWidth {
    /// The (greatest) number of bits.
    pub fn max_bits(self) -> u32 {
        match self {
            Self::Bits(bits) | Self::Varbit(bits) => bits,
        }
    }
}

/// One field of a header type.
#[derive(Clone, Debug)]
pub struct Field {
    /// Name, unique within the header type.
    pub name: String,
    /// Width in bits.
    pub width: FieldWidth,
    /// Two's complement?
    pub signed: bool,
}

/// The layout shared by header instances.
#[derive(Clone, Debug)]
pub struct HeaderType {
    /// Name, unique in the program.
    pub name: String,
    /// In wire order.
    pub fields: Vec<Field>,
    /// Do its instances hold metadata (never on the wire, need not fill whole bytes)?
    pub metadata: bool,
    /// The declaration, if it is a header type of the source.
    pub source: Source,
}

/// A header or metadata instance.
#[derive(Clone, Debug)]
pub struct HeaderInstance {
    /// Name, unique in the program; elements of stacks are called `stack[0]`, members of unions
    /// `union.member`.
    pub name: String,
    /// Its layout.
    pub header_type: HeaderTypeId,
    /// Is it metadata (always valid, never on the wire)?
    pub metadata: bool,
}

/// A header stack.
#[derive(Clone, Debug)]
pub struct Stack {
    /// Name, unique in the program.
    pub name: String,
    /// Layout of all elements.
    pub header_type: HeaderTypeId,
    /// The elements in order.
    pub elements: Vec<HeaderId>,
}

/// The member names and layouts of header unions.
#[derive(Clone, Debug)]
pub struct UnionType {
    /// Name, unique in the program.
    pub name: String,
    /// Member name and layout, in the order of the declaration.
    pub members: Vec<(String, HeaderTypeId)>,
}

/// A header union instance.
#[derive(Clone, Debug)]
pub struct Union {
    /// Name, unique in the program.
    pub name: String,
    /// Its type.
    pub union_type: UnionTypeId,
    /// The members in the order of the declaration.
    pub members: Vec<HeaderId>,
}

/// A stack of header unions.
#[derive(Clone, Debug)]
pub struct UnionStack {
    /// Name, unique in the program.
    pub name: String,
    /// Type of all elements.
    pub union_type: UnionTypeId,
    /// The elements in order.
    pub elements: Vec<UnionId>,
}

/// One field of one header instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FieldRef {
    /// The instance.
    pub header: HeaderId,
    /// Position in its header type's `fields`.
    pub field: u32,
}

/// All storage of a program.
#[derive(Clone, Debug, Default)]
pub struct Storage {
    /// Layouts.
    pub header_types: Vec<HeaderType>,
    /// Instances, elements of stacks and members of unions included.
    pub headers: Vec<HeaderInstance>,
    /// Header stacks.
    pub stacks: Vec<Stack>,
    /// Union types.
    pub union_types: Vec<UnionType>,
    /// Unions, elements of union stacks included.
    pub unions: Vec<Union>,
    /// Stacks of unions.
    pub union_stacks: Vec<UnionStack>,
    /// The instance whose fields are the local variables and the user metadata.
    pub scalars: Option<HeaderId>,
    /// The instance of v1model's `standard_metadata_t`.
    pub standard_metadata: Option<HeaderId>,
}

impl Storage {
    /// The layout of an instance.
    pub fn type_of(&self, header: HeaderId) -> &HeaderType {
        &self.header_types[self.headers[header.index()].header_type.index()]
    }

    /// The declaration of a field.
    pub fn field(&self, field: FieldRef) -> &Field {
        &self.type_of(field.header).fields[field.field as usize]
    }

    /// The instance name and field name of a field.
    pub fn field_name(&self, field: FieldRef) -> (&str, &str) {
        (&self.headers[field.header.index()].name, &self.field(field).name)
    }

    /// Adds a layout.
    pub fn add_header_type(&mut self, header_type: HeaderType) -> HeaderTypeId {
        self.header_types.push(header_type);
        HeaderTypeId::from_index(self.header_types.len() - 1)
    }

    /// Adds an instance.
    pub fn add_header(&mut self, name: String, header_type: HeaderTypeId, metadata: bool) -> HeaderId {
        self.headers.push(HeaderInstance { name, header_type, metadata });
        HeaderId::from_index(self.headers.len() - 1)
    }

    /// Appends a field to the layout of an instance (that is the only one of its type).
    pub fn add_field(&mut self, header: HeaderId, field: Field) -> FieldRef {
        let id = self.headers[header.index()].header_type;
        let fields = &mut self.header_types[id.index()].fields;
        fields.push(field);
        FieldRef { header, field: (fields.len() - 1) as u32 }
    }
}
