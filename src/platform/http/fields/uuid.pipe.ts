import { type ArgumentMetadata, Injectable, Param, type PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { isUuid } from '../../../domain/text.js';
import { problem } from '../problem.js';

/**
 * Reads an id from a path (H5).
 * @returns the UUID in lower case
 * @throws 400 INVALID_ID, naming the parameter
 */
export function readUuid(parameter: string, value: string): string {
  if (isUuid(value)) return value.toLowerCase();
  throw problem('INVALID_ID', `${parameter} must be a UUID`);
}

/** Validates a UUID in a path. Nest's ParseUUIDPipe rejects versions it does not know; Postgres accepts every UUID. */
@Injectable()
export class UuidPipe implements PipeTransform<string, string> {
  transform(value: string, { data = 'id' }: ArgumentMetadata): string {
    return readUuid(data, value);
  }
}

/** Parameter decorator: the path parameter `name` as a UUID, validated and documented in OpenAPI. */
export function UuidParam(name: string): ParameterDecorator {
  return (target, method, index) => {
    Param(name, UuidPipe)(target, method, index);
    const descriptor = Object.getOwnPropertyDescriptor(target, method as string) as PropertyDescriptor;
    ApiParam({ name, type: String, format: 'uuid' })(target, method as string, descriptor);
  };
}
