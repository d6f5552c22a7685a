// Queues with RED (Random Early Detection) at chosen ports: the longer a queue has been on average, the more of the packets that come are
// dropped or marked.
//
// Source: S. Floyd and V. Jacobson, "Random Early Detection Gateways for Congestion Avoidance", IEEE/ACM Transactions on Networking 1(4),
// 1993, section IV, with the random numbers of its section VII: one for each packet that is dropped, so that nothing is divided.
#ifndef RED_QUEUE_P4
#define RED_QUEUE_P4

#include "queue_length.p4"
#include "random_number.p4"
#include "tell_sender.p4"

struct traffic_manager_t {
}

// When each port's queue became empty, in microseconds; 0: it is not.
register<bit<32>>(PORTS) empty_since;

// 2^16 x 2^(-sixty_fourths / 64)
control LastPartOfHalving(in bit<6> sixty_fourths, out bit<48> factor) {
    action set(bit<48> value) {
        factor = value;
    }

    table parts {
        key = { sixty_fourths: exact; }
        actions = { set; }
        const default_action = set(65536);
        const entries = {
            0: set(65536); 1: set(64830); 2: set(64132); 3: set(63441);
            4: set(62757); 5: set(62081); 6: set(61413); 7: set(60751);
            8: set(60097); 9: set(59449); 10: set(58809); 11: set(58176);
            12: set(57549); 13: set(56929); 14: set(56316); 15: set(55709);
            16: set(55109); 17: set(54515); 18: set(53928); 19: set(53347);
            20: set(52773); 21: set(52204); 22: set(51642); 23: set(51085);
            24: set(50535); 25: set(49991); 26: set(49452); 27: set(48920);
            28: set(48393); 29: set(47871); 30: set(47356); 31: set(46846);
            32: set(46341); 33: set(45842); 34: set(45348); 35: set(44859);
            36: set(44376); 37: set(43898); 38: set(43425); 39: set(42958);
            40: set(42495); 41: set(42037); 42: set(41584); 43: set(41136);
            44: set(40693); 45: set(40255); 46: set(39821); 47: set(39392);
            48: set(38968); 49: set(38548); 50: set(38133); 51: set(37722);
            52: set(37316); 53: set(36914); 54: set(36516); 55: set(36123);
            56: set(35734); 57: set(35349); 58: set(34968); 59: set(34591);
            60: set(34219); 61: set(33850); 62: set(33486); 63: set(33125);
        }
    }

    apply {
        factor = 65536;
        parts.apply();
    }
}

control EnterQueue(inout ipv4_t ipv4,
                   in bit<32> transport_ports,
                   inout traffic_manager_t traffic_manager,
                   inout standard_metadata_t standard_metadata) {
    LastPartOfHalving() last_part_of_halving;
    RandomNumber() random_number;
    CountEntering() count_entering;
    TellSender() tell_sender;

    // The paper's avg, times 2^weight_shift: then w_q = 2^-weight_shift is a shift.
    register<bit<48>>(PORTS) averages;
    // The paper's count, plus 1: packets since the last one that was dropped; 0: the average is not between the thresholds.
    register<bit<32>>(PORTS) counts;
    // The paper's R, times 2^32.
    register<bit<32>>(PORTS) randoms;

    bit<8> weight_shift = 0;
    bit<48> min_average = 0;
    bit<48> max_average = 0;
    bit<64> slope = 0;
    bit<64> halving = 0;
    bit<32> seed = 0;
    bit<1> marks = 0;

    bit<32> port = (bit<32>) standard_metadata.egress_spec;
    bit<48> average;
    bit<32> length;
    bit<32> since;
    bit<64> halved;
    bit<48> factor;
    bit<32> count;
    bit<32> random;
    bit<64> probability;
    bit<1> drops = 0;

    // Thresholds are those of the average times 2^weight_shift; above min_average, the probability grows by slope / 2^56 a unit. An empty
    // queue's average is halved halving / 2^42 times a microsecond; 0: the average counts arrivals alone.
    action manage(bit<8> with_weight_shift, bit<48> with_min_average, bit<48> with_max_average, bit<64> with_slope, bit<64> with_halving,
                  bit<32> with_seed, bit<1> with_marks) {
        weight_shift = with_weight_shift;
        min_average = with_min_average;
        max_average = with_max_average;
        slope = with_slope;
        halving = with_halving;
        seed = with_seed;
        marks = with_marks;
    }

    table managed_ports {
        key = { standard_metadata.egress_spec: exact @name("egress_port"); }
        actions = { manage; NoAction; }
        const default_action = NoAction();
        size = PORTS;
    }

    apply {
        if (managed_ports.apply().hit) {
            // The average: an empty queue counts as if small packets had come and found it so.
            averages.read(average, port);
            queue_lengths.read(length, port);
            empty_since.read(since, port);
            if (halving != 0 && length == 0 && since != 0) {
                halved = ((bit<64>) ((bit<32>) standard_metadata.ingress_global_timestamp - since)) * halving >> 36;
                if (halved >= 48 << 6) {
                    average = 0;
                } else {
                    last_part_of_halving.apply((bit<6>) halved, factor);
                    average = (average >> (bit<8>) (halved >> 6)) * factor >> 16;
                }
            } else {
                average = average - (average >> weight_shift) + (bit<48>) length;
            }
            averages.write(port, average);

            counts.read(count, port);
            if (average < min_average) {
                count = 0;
            } else if (average >= max_average) {
                count = 0;
                drops = 1;
            } else {
                count = count |+| 1;
                if (count == 1) {
                    random_number.apply(standard_metadata.egress_spec, seed, random);
                    randoms.write(port, random);
                } else {
                    randoms.read(random, port);
                    probability = ((bit<64>) (average - min_average)) * slope >> 24;
                    if (((bit<64>) (count - 1)) * probability >= (bit<64>) random) {
                        drops = 1;
                        count = 1;
                        random_number.apply(standard_metadata.egress_spec, seed, random);
                        randoms.write(port, random);
                    }
                }
            }
            counts.write(port, count);

            if (ipv4.dscp_ecn[1:0] == NOT_ECT) {
                marks = 0;
            }
            if (drops == 0 || marks == 1) {
                count_entering.apply(standard_metadata.egress_spec);
            }
            if (drops == 1) {
                tell_sender.apply(ipv4, standard_metadata, standard_metadata.egress_spec, marks);
            }
        }
    }
}

control LeaveQueue(inout ipv4_t ipv4,
                   in traffic_manager_t traffic_manager,
                   inout standard_metadata_t standard_metadata) {
    CountLeft() count_left;

    bit<32> since = 0;

    apply {
        count_left.apply(standard_metadata);
        if (standard_metadata.deq_qdepth == 0) {
            since = standard_metadata.enq_timestamp + standard_metadata.deq_timedelta;
        }
        empty_since.write((bit<32>) standard_metadata.egress_port, since);
    }
}

#endif
