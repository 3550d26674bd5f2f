/** A sale from this size on takes several times as long to read as an ordinary one, in bytes or characters (L195). */
const MEDIUM = 4_096;
/** A sale from this size on takes long to read, in bytes or characters (L162). */
export const LARGE = 16_384;

/** Whether a sale is as small as ordinary ones. @param size bytes of a body, or characters of a payload */
export const isSmall = (size: number): boolean => size < MEDIUM;
