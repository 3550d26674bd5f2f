import { registerDecorator } from 'class-validator';
import { isPassword, PASSWORD_RULE } from '../domain/account.js';

/** Validates a DTO field as a new password: 8 characters to 72 bytes (A5). */
export function IsPassword(): PropertyDecorator {
  return (target, propertyName) =>
    registerDecorator({
      name: 'isPassword',
      target: target.constructor,
      propertyName: propertyName as string,
      validator: {
        validate: isPassword,
        defaultMessage: () => `${String(propertyName)} ${PASSWORD_RULE}`,
      },
    });
}
