import { ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsInt, IsString, IsUUID, Length, Max, Min } from 'class-validator';
import { DryRun } from '../../platform/http/fields/dry-run.js';
import { IfGiven } from '../../platform/http/fields/if-given.js';
import { IsTime } from '../../platform/http/fields/query-time.js';
import { MAX_RESET } from './resets.js';

const MAX_IDS = 1_000;

/**
 * Body of `POST /admin/jobs/reset`. At least one of the first four fields is required; a job is reset if it matches all of them that
 * are sent.
 */
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
  @IsTime()
  since?: Date;

  @DryRun()
  dryRun = false;

  @ApiPropertyOptional({
    type: 'integer',
    default: MAX_RESET,
    minimum: 1,
    maximum: MAX_RESET,
    description: 'maximum number of jobs to reset; call again for the rest',
  })
  @IfGiven()
  @IsInt()
  @Min(1)
  @Max(MAX_RESET)
  limit = MAX_RESET;
}
