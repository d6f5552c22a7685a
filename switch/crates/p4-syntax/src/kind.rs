//! Kinds of messages, by p4c's names: options and `@noWarn` choose by them, and scripts read them.

macro_rules! kinds {
    (
        errors { $($(#[$error_doc:meta])* $error:ident = $error_name:literal,)* }
        others { $($(#[$doc:meta])* $kind:ident = $name:literal,)* }
    ) => {
        /// The subject of a message. The names are those of p4c's catalogue, complete, whether or not this compiler has
        /// messages of that kind.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Kind {
            $($(#[$error_doc])* $error,)*
            $($(#[$doc])* $kind,)*
        }

        impl Kind {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$error,)* $(Self::$kind,)*];

            /// The name in messages, options and `@noWarn`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$error => $error_name,)*
                    $(Self::$kind => $name,)*
                }
            }

            /// Are all messages of this kind errors?
            pub fn is_always_error(self) -> bool {
                matches!(self, $(Self::$error)|*)
            }
        }
    };
}

kinds! {
    errors {
        /// Something that does not belong here.
        Unexpected = "unexpected",
        /// Something else should be here.
        Expected = "expected",
        /// A name without a declaration.
        NotFound = "not-found",
        /// More than there may be.
        Overlimit = "overlimit",
        /// Less than there must be.
        Insufficient = "insufficient",
        /// Types that do not fit.
        TypeError = "type-error",
        /// Right, but the target cannot do it.
        Target = "target-error",
        /// A file that cannot be read or written.
        Io = "I/O error",
        /// Something that does not meet the demands of the architecture.
        Model = "Target model error",
        /// Something that targets keep for themselves.
        Reserved = "reserved",
    }
    others {
        /// p4c's messages from before there were kinds.
        Legacy = "legacy",
        /// Something of a name that means nothing here.
        Unknown = "unknown",
        /// Right, but beyond this compiler.
        Unsupported = "unsupported",
        /// Something that has no meaning where it is.
        Invalid = "invalid",
        /// An expression whose value cannot be.
        Expression = "expr",
        /// A variable without a value.
        Uninitialized = "uninitialized",
        /// The same twice.
        Duplicate = "duplicate",
        /// Nothing leads there.
        Unreachable = "unreachable",
        /// Keys of tables.
        Keys = "keys",
        /// Something that did not work, and need not.
        Failed = "failed",
        /// Something that will go.
        Deprecated = "deprecated",
        /// Something declared that does nothing.
        Unused = "unused",
        /// Something one would expect.
        Missing = "missing",
        /// Things in an order that makes some of them useless.
        Ordering = "ordering",
        /// Things that do not go together.
        Mismatch = "mismatch",
        /// A number, or the rest of it after a shift, that does not fit its type.
        Overflow = "overflow",
        /// A property that is not known.
        IgnoreProperty = "ignore-prop",
        /// A type that was guessed.
        TypeInference = "type-inference",
        /// Transitions of parser states.
        ParserTransition = "parser-transition",
        /// A name that hides another.
        Shadow = "shadow",
        /// A variable without a value that is read.
        UninitializedUse = "uninitialized-use",
        /// An `out` parameter that gets no value.
        UninitializedOutParam = "uninitialized-out-param",
        /// Something that is ignored.
        Ignore = "ignore",
        /// A field of a header that is not valid.
        InvalidHeader = "invalid-header",
        /// Entries of one priority.
        DuplicatePriorities = "duplicate-priorities",
        /// Entries in another order than that of their priorities.
        EntriesOutOfPriorityOrder = "entries-out-of-priority-order",
        /// A header that is extracted several times.
        MultiHeaderExtract = "multi-header-extract",
        /// Hints about which way is taken more often.
        Branch = "branch",
        /// Something that the compiler found out by itself.
        Inferred = "inferred",
        /// How far the compiler is.
        Progress = "progress",
        /// Something that the compiler has taken away.
        Removed = "removed",
    }
}

impl Kind {
    /// Is it the one of that name? p4c wrote `uninitialized_use` before it wrote `uninitialized-use`.
    pub fn is_called(self, name: &str) -> bool {
        self.name() == name || self.name() == name.replace('_', "-")
    }
}

#[cfg(test)]
mod tests {
    use super::Kind;

    #[test]
    fn names_are_told_apart() {
        for kind in Kind::ALL {
            let called: Vec<_> = Kind::ALL.iter().filter(|other| other.is_called(kind.name())).collect();
            assert_eq!(called, [kind]);
        }
        assert!(Kind::UninitializedUse.is_called("uninitialized_use"));
    }

    #[test]
    fn some_are_errors_alone() {
        assert!(Kind::TypeError.is_always_error() && Kind::Io.is_always_error());
        assert!(!Kind::Invalid.is_always_error() && !Kind::Unused.is_always_error());
    }
}
