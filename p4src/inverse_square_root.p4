// 2^16 / sqrt(number), rounded down, by two tables: a switch has no square root.
//
// A number is moved by an even number of bits so that 64 to 255 is left of it, and the table has the root of that. A number above 255
// loses its last bits, so its result may be too large, by 1/128 at most.
#ifndef INVERSE_SQUARE_ROOT_P4
#define INVERSE_SQUARE_ROOT_P4

// number: not 0.
control InverseSquareRoot(in bit<16> number, out bit<32> result) {
    bit<16> moved = 0;
    bit<8> scale = 0;

    action move(bit<8> left, bit<8> right, bit<8> with_scale) {
        moved = (number << left) >> right;
        scale = with_scale;
    }

    // By the zeros that the number begins with: the longest prefix is that of the smallest numbers.
    table move_number {
        key = { number: lpm; }
        actions = { move; }
        const default_action = move(0, 8, 7);
        const entries = {
            0 &&& 0xc000: move(0, 6, 6);
            0 &&& 0xf000: move(0, 4, 5);
            0 &&& 0xfc00: move(0, 2, 4);
            0 &&& 0xff00: move(0, 0, 3);
            0 &&& 0xffc0: move(2, 0, 2);
            0 &&& 0xfff0: move(4, 0, 1);
            0 &&& 0xfffc: move(6, 0, 0);
        }
    }

    action set(bit<32> value) {
        result = value >> scale;
    }

    // 2^19 / sqrt(moved)
    table root_of_moved {
        key = { moved: exact; }
        actions = { set; }
        const default_action = set(0);
        const entries = {
            64: set(65536); 65: set(65029); 66: set(64535); 67: set(64051);
            68: set(63579); 69: set(63116); 70: set(62664); 71: set(62221);
            72: set(61787); 73: set(61363); 74: set(60947); 75: set(60539);
            76: set(60139); 77: set(59748); 78: set(59363); 79: set(58987);
            80: set(58617); 81: set(58254); 82: set(57897); 83: set(57548);
            84: set(57204); 85: set(56867); 86: set(56535); 87: set(56209);
            88: set(55889); 89: set(55574); 90: set(55264); 91: set(54960);
            92: set(54660); 93: set(54366); 94: set(54076); 95: set(53790);
            96: set(53509); 97: set(53233); 98: set(52961); 99: set(52692);
            100: set(52428); 101: set(52168); 102: set(51912); 103: set(51659);
            104: set(51410); 105: set(51165); 106: set(50923); 107: set(50684);
            108: set(50449); 109: set(50217); 110: set(49988); 111: set(49763);
            112: set(49540); 113: set(49320); 114: set(49104); 115: set(48890);
            116: set(48678); 117: set(48470); 118: set(48264); 119: set(48061);
            120: set(47860); 121: set(47662); 122: set(47466); 123: set(47273);
            124: set(47082); 125: set(46893); 126: set(46707); 127: set(46523);
            128: set(46340); 129: set(46160); 130: set(45983); 131: set(45807);
            132: set(45633); 133: set(45461); 134: set(45291); 135: set(45123);
            136: set(44957); 137: set(44792); 138: set(44630); 139: set(44469);
            140: set(44310); 141: set(44153); 142: set(43997); 143: set(43843);
            144: set(43690); 145: set(43539); 146: set(43390); 147: set(43242);
            148: set(43096); 149: set(42951); 150: set(42807); 151: set(42665);
            152: set(42525); 153: set(42386); 154: set(42248); 155: set(42111);
            156: set(41976); 157: set(41842); 158: set(41710); 159: set(41578);
            160: set(41448); 161: set(41319); 162: set(41191); 163: set(41065);
            164: set(40940); 165: set(40815); 166: set(40692); 167: set(40570);
            168: set(40449); 169: set(40329); 170: set(40211); 171: set(40093);
            172: set(39976); 173: set(39860); 174: set(39746); 175: set(39632);
            176: set(39519); 177: set(39407); 178: set(39297); 179: set(39187);
            180: set(39078); 181: set(38970); 182: set(38862); 183: set(38756);
            184: set(38651); 185: set(38546); 186: set(38442); 187: set(38339);
            188: set(38237); 189: set(38136); 190: set(38035); 191: set(37936);
            192: set(37837); 193: set(37739); 194: set(37641); 195: set(37545);
            196: set(37449); 197: set(37353); 198: set(37259); 199: set(37165);
            200: set(37072); 201: set(36980); 202: set(36888); 203: set(36797);
            204: set(36707); 205: set(36617); 206: set(36528); 207: set(36440);
            208: set(36352); 209: set(36265); 210: set(36179); 211: set(36093);
            212: set(36008); 213: set(35923); 214: set(35839); 215: set(35756);
            216: set(35673); 217: set(35590); 218: set(35509); 219: set(35428);
            220: set(35347); 221: set(35267); 222: set(35187); 223: set(35108);
            224: set(35030); 225: set(34952); 226: set(34875); 227: set(34798);
            228: set(34721); 229: set(34645); 230: set(34570); 231: set(34495);
            232: set(34421); 233: set(34347); 234: set(34273); 235: set(34200);
            236: set(34128); 237: set(34056); 238: set(33984); 239: set(33913);
            240: set(33842); 241: set(33772); 242: set(33702); 243: set(33633);
            244: set(33564); 245: set(33495); 246: set(33427); 247: set(33359);
            248: set(33292); 249: set(33225); 250: set(33158); 251: set(33092);
            252: set(33027); 253: set(32961); 254: set(32896); 255: set(32832);
        }
    }

    apply {
        result = 0;
        move_number.apply();
        root_of_moved.apply();
    }
}

#endif
