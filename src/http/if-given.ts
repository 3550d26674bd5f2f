import { ValidateIf } from 'class-validator';

/**
 * Validates a field that is present, null too: absent, it keeps its default or stays unchanged. `IsOptional` of class-validator lets
 * null pass, and is for fields that the document calls nullable (A31).
 */
export const IfGiven = () => ValidateIf((_, value) => value !== undefined);
