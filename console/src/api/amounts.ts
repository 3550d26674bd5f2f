/** The parts of every amount of a report, by what became of the orders (R17). */
export const AMOUNT_PARTS = ['delivered', 'resolved', 'waiting', 'parked', 'cancelled'] as const;
/** The parts of what was taken (R61). */
export const TAKEN_PARTS = ['delivered', 'resolved', 'waiting', 'parked'] as const;
export type AmountPart = (typeof AMOUNT_PARTS)[number];

/** An amount of a report in cents. */
export type Split = Readonly<Record<`${AmountPart}Cents`, number>>;

/** Cents of a part. What was settled by hand is `resolved` alone, though the API counts it as parked too. */
export const centsOf = (split: Split, part: AmountPart): number =>
  part === 'parked' ? split.parkedCents - split.resolvedCents : split[`${part}Cents`];

/** Cents that are not in the POS, and that nobody has settled by hand. */
export const openCentsOf = (split: Split): number => split.waitingCents + centsOf(split, 'parked');
