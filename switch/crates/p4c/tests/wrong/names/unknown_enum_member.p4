enum colour { RED, GREEN }
const colour c = colour.BLUE;
