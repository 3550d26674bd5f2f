import { HttpException, HttpStatus } from '@nestjs/common';

/**
 * An expected refusal, in the one error shape of the service (DECISIONS 6).
 * @param code a stable upper-case word for machines
 * @param message for people: names the field and says what to do
 * @param retryAfterSeconds becomes the Retry-After header
 */
export function problem(
  status: HttpStatus,
  code: string,
  message: string | string[],
  retryAfterSeconds?: number,
): HttpException {
  return new HttpException({ code, message, retryAfterSeconds }, status);
}
