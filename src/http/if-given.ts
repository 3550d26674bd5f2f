import { ValidateIf } from 'class-validator';

/**
 * Skips the validation of an absent field only; `IsOptional` of class-validator also accepts null, and is used for fields that are
 * nullable in the document (A31).
 */
export const IfGiven = () => ValidateIf((_, value) => value !== undefined);
