import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsDate,
  IsInt,
  IsString,
  IsUUID,
  Length,
  Max,
  Min,
} from 'class-validator';
import { readTime } from '../domain/time.js';
import { IfGiven } from '../http/if-given.js';

const MAX_IDS = 1_000;
/** Jobs that one call resets at most. */
const MAX_RESET = 10_000;

/** Body of `POST /admin/jobs/reset`: at least one of the first four; a job must fit all that are sent. */
export class ResetJobsDto {
  @ApiPropertyOptional({ type: [String], minItems: 1, maxItems: MAX_IDS, description: 'ids of jobs' })
  @IfGiven()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_IDS)
  @IsUUID(undefined, { each: true })
  jobIds?: string[];

  @ApiPropertyOptional({ format: 'uuid' })
  @IfGiven()
  @IsUUID()
  restaurantId?: string;

  @ApiPropertyOptional({ description: 'a `cause` of `GET /admin/parked`, exactly; parked jobs only' })
  @IfGiven()
  @IsString()
  @Length(1, 400)
  cause?: string;

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'parked or failed at or after this time' })
  @IfGiven()
  @Transform(({ value }) => (typeof value === 'string' ? (readTime(value) ?? value) : value))
  @IsDate({ message: '$property must be an ISO 8601 time, for example 2026-01-31T20:00:00Z' })
  since?: Date;

  @ApiPropertyOptional({ type: Boolean, default: false, description: 'true: only counts' })
  @IfGiven()
  @IsBoolean()
  dryRun = false;

  @ApiPropertyOptional({
    type: 'integer',
    default: MAX_RESET,
    minimum: 1,
    maximum: MAX_RESET,
    description: 'so many at most: `matched` minus `reset` are left for the next call',
  })
  @IfGiven()
  @IsInt()
  @Min(1)
  @Max(MAX_RESET)
  limit = MAX_RESET;
}

class JobsResetCountView {
  @ApiProperty({ type: 'integer', description: 'what the filters found before' })
  matched: number;

  @ApiProperty({
    type: 'integer',
    description: 'what this call reset; less than `matched` beyond `limit`, and where somebody else holds a job now',
  })
  reset: number;
}

/** Response of `POST /admin/jobs/reset`. */
export class JobsResetView {
  @ApiProperty()
  message: string;

  @ApiProperty()
  data: JobsResetCountView;
}
