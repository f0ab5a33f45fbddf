// Package estimate says what past runs of a job type say about the next one.
//
// A Book is told runs as they end and gives an Estimate: from the runs of this
// very type on this GPU; else from another GPU's, times the factor between the
// two; else from the nearest types by cost; else nothing. Each of these levels
// has its own measured range. An Estimate says when a run will end from how long
// it has been going (At), when it is longer than all before (NoticeS), when
// something is holding it (AlarmS), and how long a default limit is (Limit).
//
// A baseline moves by several clean runs, never by one (rule 7): its log is a
// list of Revisions that Judge makes from the runs and the user's answers. Runs
// that were cut short, lost or not seen to their end are bounds: they say how
// long a run may take, and never how long it takes.
//
// The package is pure: the same runs give the same answer, in whatever order
// they are given; it never reads a clock, never does I/O, and judges no run by
// its length alone.
//
// # Choices
//
// The numbers that no theorem gives are choices, made in estimation.md on the
// logs that are named there and not tuned to any other: the window of 41 runs;
// the weight 4 of a machine's typical spread and its floor of 0.5 %; 5 of 6 runs
// outside P10 to P90, 5 % of shift, agreement within twice the spread, ranks at
// one in 1000, 30 minutes between sessions; 15 newest runs and 10 % for types
// that scatter; 1.3 and 3 times the middle as bounds of the alarm; 4 middles and
// 2 longest as the limit; the distances between types. The range that a
// baseline takes in by itself (3.5 predictive spreads) is a choice made here: it
// lets a log be judged by nothing but itself, and leaves out so few normal runs
// that the notice still comes about as often as it says.
package estimate
