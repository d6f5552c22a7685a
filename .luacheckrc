-- The Lua of Wireshark (5.2 until 4.2, 5.4 since), and what it brings.
std = "lua52"
max_line_length = 140
read_globals = {
  "Dissector", "DissectorTable", "Field", "Proto", "ProtoExpert", "ProtoField", "base", "bit", "expert", "wtap",
}
