import { ValidateBy } from 'class-validator';
import { isDay } from '../../../domain/business-day.js';

/** Validates a field as a date that names a business day (R15). */
export const IsDay = () =>
  ValidateBy({
    name: 'isDay',
    validator: {
      validate: (value) => typeof value === 'string' && isDay(value),
      defaultMessage: () => '$property must be a date, for example 2026-11-20',
    },
  });
