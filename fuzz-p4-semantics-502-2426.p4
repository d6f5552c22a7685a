// different results
//   packet:    port 3, 0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
//   reference: port 1, 800102400400000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
//   switch:    port 1, 800102400000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
#include <v1model.p4>
typedef bool typedef1;
header h0_t { bit<8> x0; }
header result_t { bit<1> m0; bit<16> m1; bit<9> m2; bit<6> rest;  }
struct headers_t {
result_t result;
h0_t h0;
}
struct meta_t {
bool m0;
bit<16> m1;
bit<9> m2;
}
T g17<T>(in T p18, inout bit<9> p19, inout typedef1 p20, in h0_t p21) {
p20 = (((((bit<9>)p19) |+| p19) <= (p19 | p19)) != ((!p20) ? p20 : (true && p20)));
return p18;
}
parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
state start {
meta.m2[g17<bit<2>>(((bit<2>)meta.m2), meta.m2, meta.m0, hdr.h0)+:1] &= (((bit<1>)33w0x9421caf) |-| (1w0x1 + ((bit<1>)meta.m1)));
}
}
control V(inout headers_t hdr, inout meta_t meta) { apply {  } }
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
apply {
}
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
apply {
hdr.result.setValid();
hdr.result.m0 = (bit<1>)meta.m0;
hdr.result.m1 = meta.m1;
hdr.result.m2 = meta.m2;
hdr.result.rest = 0;
}
}
control C(inout headers_t hdr, inout meta_t meta) { apply {  } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;

/* Reduced from:
#include <core.p4>
#include <v1model.p4>
error { Odd }
enum Colour { Red, Green, Blue }
enum bit<8> Kind { One = 1, Five = 5, All = 255 }
struct Pair { bit<8> first; int<16> second; bool third; }
struct Nest { Pair inner; bit<9> own; Kind kind; }
struct Gen<T> { T value; bit<7> extra; }
type bit<4> new4_t;
typedef bool typedef1;
header h0_t { bit<8> x0; }
header result_t { bit<1> m0; bit<16> m1; bit<9> m2; bit<6> rest;  }
struct headers_t {
result_t result;
h0_t h0;
}
struct meta_t {
bool m0;
bit<16> m1;
bit<9> m2;
}
const int LOW = 3;
const new4_t k2 = ((new4_t)4w0x2);
h0_t f3(inout typedef1 p4) {
switch ((-10w0x20[LOW + 3:LOW])) {
4w0: {
{
p4 = (((9w0x6 > 9w0xba) && (!false)) ? (((Gen<tuple<bit<24>, bit<4>, bit<12>>>){((tuple<bit<24>, bit<4>, bit<12>>){24w0x7, 4w0x7, 12w0x0}), 7w0x4e}) != ((Gen<tuple<bit<24>, bit<4>, bit<12>>>){((tuple<bit<24>, bit<4>, bit<12>>){24w0x3b4384, 4w0x0, 12w0x3}), 7w0x7f})) : (!((-3s0x0) != (3s0x2))));
p4 = (p4 || (!(2w0x3 > 2w0x3)));
}
p4 = ((~(-(16s0x20))) != ((16s0x0) & (((int<16>)16w0x20) & ((int<16>)16w0x6a26))));
}
4w1: {
}
4w2: {
}
}
return (h0_t){#};
}
h0_t f5(inout bit<9> p6) {
p6 = (9w0x2 << (p6 >> ((bit<15>)p6)[((bit<2>)p6)+:1]));
if (((8w0x6a * (8w0x2 |-| ((bit<8>)p6))) == (((bit<8>)p6) + (false ? ((bit<8>)p6) : 8w0xff)))) {
Gen<tuple<bit<24>, bit<4>, bit<12>>> v7 = (Gen<tuple<bit<24>, bit<4>, bit<12>>>){value = ((tuple<bit<24>, bit<4>, bit<12>>){(24w0x7 | ((bit<24>)p6)), (1w0x1 ++ ((bit<3>)p6)), (12w0x5 ^ 12w0x22)}), extra = ((((bit<2>)p6) |-| 2w0x0) ++ (true ? 5w0x5 : ((bit<5>)p6)))};
h0_t v8;
} else {
p6 = 9w0x8;
}
return (h0_t){x0 = 8w0xff};
}
Nest f9(out bit<9> p10, out bit<16> p11) {
p10 = 9w0x0;
p11 = 16w0x0;
for (bit<5> i12 = 0; i12 < 1; i12 = i12 + 1) {
Colour v13 = Colour.Blue;
}
p11 = ((bit<16>)p10);
p11 = (((bit<16>)((bit<3>)p11)) << ((bit<1>)true));
return (Nest){inner = (Pair){first = ((bit<8>)p11), second = ((int<16>)(bit<16>)p11), third = true}, own = p10, kind = Kind.One};
}
new4_t g14<T>(in T p15, inout T p16) {
p16 = p16;
return ((8w0x8 > 8w0x80) ? ((new4_t)4w0x3) : ((new4_t)4w0x4));
}
T g17<T>(in T p18, inout bit<9> p19, inout typedef1 p20, in h0_t p21) {
Pair v22 = (Pair){first = ((bit<8>)((bit<9>)((int<9>)9w0x0))), second = (((15s0x0) * ((int<15>)(bit<15>)p19)) ++ ((int<11>)11w0x7ff)[0:0]), third = (!(p20 || p20))};
f3(p20);
p20 = (((((bit<9>)p19) |+| p19) <= (p19 | p19)) != ((!p20) ? p20 : (true && p20)));
if ((p20 ? (((Nest){((Pair){8w0x10, ((int<16>)16w0x20), true}), 9w0x100, Kind.All}) == ((Nest){((Pair){8w0x8, (-16s0x0), true}), 9w0xaf, Kind.Five})) : (((bit<8>)p19) != ((bit<8>)p19)))) { return p18; }
return p18;
}
parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
value_set<bit<3>>(4) vs23;
state start {
packet.extract(hdr.h0);
meta.m2[g17<bit<2>>(((bit<2>)meta.m2), meta.m2, meta.m0, hdr.h0)+:1] &= (((bit<1>)33w0x9421caf) |-| (1w0x1 + ((bit<1>)meta.m1)));
transition select(3w0x7) {
vs23: reject;
default: accept;
}
}
}
control C24(in bit<16> zero, inout bit<8> p25, inout h0_t p26) {
bit<4> v27 = 4w0xc;
apply {
if (((Kind.One != Kind.Five) != (63w0x7fffffffffffffff > ((bit<63>)p25)))) { exit; }
v27 = 4w0x1;
if (p26.isValid()) {
p26.x0 = (((true ? 1w0x0 : 1w0x1) ++ ((bit<7>)24w0x1cdc88)) & p25);
p26.x0 |-|= p26.x0;
}
p25 = (-((~p25) << 8w9));
}
}
control C28(in bit<16> zero, in bit<9> p29) {
C24() i30;
register<bit<8>>(4) r31;
bit<9> v32 = 9w0x1ff;
h0_t v33;
apply {
v32[7:0] = (((bit<8>)((bit<8>)((int<8>)(bit<8>)v32))) |-| ((bit<8>)(false ? Kind.All : Kind.Five)));
if (false) {
v32 = (((true ? p29 : v32) + (((bit<9>)v32) & v32)) - v32);
typedef1 v34 = v33.isValid();
v32 = ((bit<9>)((1w0x0 << 8w0) ++ (((bit<1>)v32) ++ ((bit<1>)v32))));
} else {
switch (((((bit<3>)p29) |-| ((bit<3>)v32)) | (3w0x5 + 3w0x6))) {
3w0: {
}
3w1: {
}
3w2: {
}
}
}
}
}
control V(inout headers_t hdr, inout meta_t meta) { apply {  } }
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
C24() i35;
C24() i36;
C28() i37;
C28() i38;
register<bit<9>>(4) r39;
action a40(out h0_t p41, int<1> d42) {
meta.m0 = ((12w0x0[7:0] * 8w0x0) <= (-((bit<8>)Kind.One)));
for (bit<3> i43 = 0; i43 < 3; i43 = i43 + 1) {
meta.m1[7:5] = ((!((std.parser_error == error.NoError) ? (std.parser_error == error.NoError) : true)) ? (2w0x2 ++ ((std.parser_error == error.NoError) ? ((bit<1>)i43) : std.checksum_error)) : (((bit<11>)std.checksum_error) ^ ((bit<11>)(int<11>)d42))[3:1]);
bit<8> v44 = g17(((((bit<33>)i43) <= ((bit<33>)(int<33>)d42)) ? (((bit<8>)meta.m1) |+| 8w0x26) : meta.m1[7:0]), meta.m2, meta.m0, hdr.h0);
}
}
action a45(inout h0_t p46, in h0_t p47, bit<16> d48, bit<9> d49) {
g17<bool>(hdr.h0.isValid(), meta.m2, meta.m0, p46);
meta.m0 = (!(((std.parser_error == error.NoError) ? (std.parser_error == error.NoError) : meta.m0) ? (!(std.parser_error == error.NoError)) : (std.parser_error == error.NoError)));
meta.m0 = (p47 == hdr.h0);
}
action a50(inout bit<9> p51, inout h0_t p52, int<16> d53) {
meta.m2 = (((-meta.m2) >> (1w0x1 - std.checksum_error)) + ((meta.m2 & meta.m2) |+| (p51 ^ std.ingress_port)));
for (bit<6> i54 = 0; i54 < 1; i54 = i54 + 1) {
meta.m1 = ((((std.parser_error == error.NoError) ? meta.m1 : meta.m1) & (-meta.m1)) - ((meta.m1 & meta.m1) / 16w8192));
meta.m2 |+|= ((meta.m0 ? ((bit<9>)meta.m2) : meta.m2) / 9w4);
}
}
action a55(in h0_t p56, inout bit<16> p57) {
hdr.h0.setValid();
hdr.h0.x0 = 8w0xff;
r39.write((bit<32>)(11w0x400 | ((bit<11>)std.ingress_port))[1:0], (((bit<1>)g17(true, meta.m2, meta.m0, p56)) ++ ((5w0x0 - 5w0x19) ++ 5w0x1a[4:2])));
Nest v58 = ((Nest){((Pair){8w0x4, (16s0x7e69), true}), 9w0x8, Kind.One});
}
table t59 {
key = {
(g17(2w0x2, meta.m2, meta.m0, hdr.h0) << ((std.parser_error == error.NoError) ? ((bit<7>)meta.m2) : ((bit<7>)std.instance_type))): exact @name("k0");
}
actions = {
a50(meta.m2, hdr.h0);
a45(hdr.h0, hdr.h0);
}
const entries = {
2w0: a50(meta.m2, hdr.h0, (-16s0x5efe));
}
const default_action = a50(meta.m2, hdr.h0, (16s0x0));
}
apply {
std.egress_spec = 1;
meta.m1 = meta.m1;
switch (Colour.Red) {
Colour.Red: {
if (false) { exit; }
bit<114> v61 = g17<bit<114>>(((std.parser_error == error.NoError) ? ((bit<120>)std.instance_type) : 120w0x0)[113:0], meta.m2, meta.m0, hdr.h0);
meta.m1[13:5] = (std.ingress_port >> ((meta.m0 ? ((bit<3>)v61) : 3w0x1) |+| (~3w0x3)));
hash(meta.m1, HashAlgorithm.crc16_custom, g17<bit<16>>(meta.m1, meta.m2, meta.m0, hdr.h0), {(-((std.parser_error == error.NoError) ? ((int<8>)(bit<8>)meta.m2) : (8s0x40))), g17<bit<8>>(((std.parser_error == error.NoError) ? 8w0x2 : ((bit<8>)std.checksum_error)), meta.m2, meta.m0, hdr.h0)}, 16w44679);
}
Colour.Green: {
f5(meta.m1[9:1]);
int<3> v62 = (((((bit<8>)std.instance_type) != 8w0xf7) ? (((int<3>)3w0x2) | ((int<3>)3w0x0)) : (((int<3>)(bit<3>)meta.m2) + ((int<3>)(bit<3>)meta.m2))) |-| ((int<3>)(bit<3>)meta.m1));
}
}
if ((((bool)((bit<1>)meta.m0)) || ((bool)(meta.m0 ? std.checksum_error : std.checksum_error)))) {
hdr.h0.setInvalid();
meta.m1 = meta.m1;
{
hdr.h0 = {((bit<8>)((Kind)8w0x4))};
meta.m0 = ((((int<2>)(bit<2>)meta.m2) >> 8w1) == ((int<2>)(bit<2>)meta.m1));
}
} else {
}
if (t59.apply().hit) {
i38.apply(std.mcast_grp, 17w0x14cde[15:0][10:2]);
}
}
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
C24() i63;
C28() i64;
C28() i65;
apply {
i64.apply(std.mcast_grp, (-std.egress_port));
if (hdr.h0.isValid()) {
meta.m2 = (g17<bit<9>>(g17(std.egress_port, meta.m2, meta.m0, hdr.h0), meta.m2, meta.m0, hdr.h0) * (((bit<10>)std.instance_type) - 10w0x3ee)[9:1]);
bit<32> v66 = (((!(std.parser_error == error.NoError)) || (!true)) ? ((std.instance_type | std.instance_type) ^ ((bit<32>)hdr.h0.x0)) : ((std.instance_type >> 8w33) | std.instance_type));
}
hdr.result.setValid();
hdr.result.m0 = (bit<1>)meta.m0;
hdr.result.m1 = meta.m1;
hdr.result.m2 = meta.m2;
hdr.result.rest = 0;
}
}
control C(inout headers_t hdr, inout meta_t meta) { apply {  } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
*/
