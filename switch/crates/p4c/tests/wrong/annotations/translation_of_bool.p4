@p4runtime_translation("example.org/bool", string) type bool flag_t;
@p4runtime_translation("example.org/int", 32) type int<9> signed_t;
@p4runtime_translation("example.org/bit", 32) type bit<9> right_t;
type bool untranslated_t;
