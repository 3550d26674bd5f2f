import { registerDecorator } from 'class-validator';

/** What bcrypt reads of a password. */
export const MAX_PASSWORD_BYTES = 72;
export const MIN_PASSWORD_LENGTH = 8;

/** 8 characters to 72 bytes (DECISIONS 6). */
export function isPassword(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    [...value].length >= MIN_PASSWORD_LENGTH &&
    Buffer.byteLength(value) <= MAX_PASSWORD_BYTES
  );
}

/** A DTO field that must be a password. */
export function IsPassword(): PropertyDecorator {
  return (target, propertyName) =>
    registerDecorator({
      name: 'isPassword',
      target: target.constructor,
      propertyName: propertyName as string,
      validator: {
        validate: isPassword,
        defaultMessage: () => `${String(propertyName)} must have 8 characters at least and 72 bytes at most`,
      },
    });
}
