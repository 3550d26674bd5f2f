/** The parts of every amount of a report, by what became of the orders: `deliveredCents`, and so on (R17). */
export const AMOUNT_PARTS = ['delivered', 'waiting', 'parked', 'cancelled'] as const;
/** The parts of what was taken (R61). */
export const TAKEN_PARTS = ['delivered', 'waiting', 'parked'] as const;
export type AmountPart = (typeof AMOUNT_PARTS)[number];
