/**
 * SQL: the number of the advisory lock of a round that one instance at a time runs.
 * @param name of the round, a literal
 */
export const roundLock = (name: string): string => `hashtextextended('${name}', 0)`;
