// The enclosure of the clock: six plates. All dimensions in mm; the numbers up to "Hidden" can be
// changed in the Customizer of OpenSCAD (openscad.org), or here.
// To cut: part = "plates", F6, export as DXF or SVG. To print: each plate alone, F6, export as STL.

/* [What to export] */
part = "box"; // [box, plates, front, top, back, bottom, left-side, right-side]

/* [Box] */
sheet = 3; // thickness of the plates
width = 190;
depth = 80;
height = 75;
top_depth = 45; // the front slopes from here down to the lip
lip = 3; // height of the front's lower edge over the table: it rests on the bottom

/* [Front and top] */
window = [57, 29.5]; // an active area of 55.01 x 27.49 (2.42 inch), and 1 mm around it
window_at = 46; // middle of each window, from the middle of the front
lamp = 5.2; // holes for LEDs of 5 mm beside the windows; 0: none
plunger = 30; // arcade buttons
plunger_at = 70; // middle of each, from the middle of the top
centre = 24;

/* [Raspberry Pi and its card] */
screw = 2.75; // for M2.5
board = [1, 4]; // the board's corner, from the left side and from the back
// From the back and from below, width and height: the slot for the card of each model.
slot = [14, 5, 27, 7];
notch = [20, 10]; // for a finger, over the middle of the slot

/* [Hidden] */
// Holes in the back: diameter, then places from its middle and from below. Add a line for a part,
// such as [12, [[-35, 15]]] for a serial cable.
back_holes = [
    [14, [[0, 15]]], // supply: a moulded USB-C plug goes through
    [12, [[35, 15]]], // latching push-button
    [4, [[-4, 36], [4, 36]]], // cable tie that holds the supply's cable
    [2, [[65, 40], [60, 40], [70, 40], [65, 35], [65, 45]]], // buzzer
    [5, [for (n = [0:5]) [15 * n - 37.5, 60]]], // air, for a Pi 5
];
pi_along = [3.5, 61.5]; // its holes, from the board's corner; these are the same on every model
pi_across = [3.5, 26.5, 52.5]; // at the header's pins; of a Zero; of a 3, 4, 5
$fn = 32; // corners of a hole: under 0.1 mm short of round, less than a cut is wide
inner = width - 2 * sheet;
side_height = height - sheet;
front_height = norm([depth - top_depth, side_height - lip]);
slope = atan2(depth - top_depth, side_height - lip);

module hole(x, y, diameter) if (diameter > 0) translate([x, y]) circle(d = diameter);

module front() difference() {
    square([inner, front_height]);
    for (side = [-1, 1]) translate([inner / 2 + side * window_at, front_height / 2]) square(window, center = true);
    for (side = [-1, 1]) hole(inner / 2 + side * 83, front_height / 2, lamp);
}

module top() difference() {
    square([width, top_depth]);
    for (side = [-1, 1]) hole(width / 2 + side * plunger_at, top_depth / 2, plunger);
    hole(width / 2, top_depth / 2, centre);
}

module back() difference() {
    square([inner, side_height]);
    for (each_part = back_holes) for (at = each_part[1]) hole(inner / 2 + at.x, at.y, each_part[0]);
}

module bottom() difference() {
    square([inner, depth - sheet]);
    for (x = pi_along) for (y = pi_across) hole(board.x + x, board.y + y, screw);
}

module right_side() polygon([[0, 0], [depth, 0], [depth, lip], [top_depth, side_height], [0, side_height]]);

module left_side() difference() {
    right_side();
    translate([slot[0], slot[1]]) square([slot[2], slot[3]]);
    translate([slot[0] + (slot[2] - notch.x) / 2, slot[1]]) square([notch.x, slot[3] + notch.y]);
}

module plate(name) {
    if (name == "front") front();
    if (name == "top") top();
    if (name == "back") back();
    if (name == "bottom") bottom();
    if (name == "left-side") left_side();
    if (name == "right-side") right_side();
}

// Seen from the front: the top lies on the sides, all others stand between them.
module box() {
    module solid(name) linear_extrude(sheet) plate(name);
    translate([sheet, 0, 0]) rotate([90, 0, 0]) solid("back");
    translate([sheet, -sheet, 0]) mirror([0, 1, 0]) solid("bottom");
    for (x = [0, width - sheet]) translate([x, 0, 0]) rotate([90, 0, -90]) mirror([0, 0, 1]) solid(x == 0 ? "left-side" : "right-side");
    translate([sheet, -depth, lip]) rotate([90 - slope, 0, 0]) translate([0, 0, -sheet]) solid("front");
    translate([0, -top_depth, side_height]) solid("top");
}

if (part == "box") box();
else if (part != "plates") linear_extrude(sheet) plate(part);
else { // beside each other, as in enclosure.svg
    second = 35 + max(width, 2 * depth + 22);
    middle_row = side_height + 53;
    upper_row = middle_row + top_depth + 27;
    translate([20, upper_row]) front();
    translate([second, upper_row]) back();
    translate([20, middle_row]) top();
    translate([second, upper_row - depth - 28]) bottom();
    translate([20, 27]) left_side();
    translate([depth + 42, 27]) right_side();
}
