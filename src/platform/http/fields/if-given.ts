import { ValidateIf } from 'class-validator';

/**
 * Skips the validation only when the field is absent. `IsOptional` of class-validator also skips it for null, and is used for fields
 * that are nullable in the OpenAPI document (A31).
 */
export const IfGiven = () => ValidateIf((_, value) => value !== undefined);
