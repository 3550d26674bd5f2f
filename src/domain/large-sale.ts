/** A sale from this size on takes long to read, in bytes or characters (L162). */
export const LARGE = 16_384;

/** @param size bytes of a body, or characters of a payload */
export const isLarge = (size: number): boolean => size >= LARGE;
