import { Controller, Get, HttpStatus, Res } from '@nestjs/common';
import {
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiPropertyOptional,
  ApiServiceUnavailableResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public } from '../../auth/principal.js';
import { HealthService } from './health.service.js';

/** Response of the health checks (H7). */
export class HealthView {
  @ApiProperty({ enum: ['ok', 'error'], enumName: 'HealthStatus' }) status: 'ok' | 'error';
  @ApiProperty({ format: 'date-time' }) timestamp: string;
}

/** Response of the readiness check. */
export class ReadyView extends HealthView {
  @ApiPropertyOptional({ description: 'why it is not ready, for people' }) reason?: string;
}

/** Health checks for load balancers and orchestrators; they need no credentials (H7). */
@ApiTags('health')
@Public()
@Controller('health')
export class HealthController {
  constructor(private readonly checks: HealthService) {}

  @Get()
  @ApiOperation({
    summary: 'Checks the database',
    description: '200 while the database answers within a second, else 503. For load balancers; no credentials.',
  })
  @ApiOkResponse({ type: HealthView, description: 'healthy' })
  @ApiServiceUnavailableResponse({ type: HealthView, description: 'not healthy' })
  async getHealth(@Res({ passthrough: true }) reply: FastifyReply): Promise<HealthView> {
    return answer(reply, await this.checks.databaseAnswers());
  }

  @Get('live')
  @ApiOperation({
    summary: 'Checks the process',
    description:
      '200 while the process can answer, whatever the state of the database. For orchestrators that restart a process.',
  })
  @ApiOkResponse({ type: HealthView, description: 'healthy' })
  getLiveness(): HealthView {
    return toView('ok');
  }

  @Get('ready')
  @ApiOperation({
    summary: 'Checks this instance',
    description:
      '200 while a webhook sent to this instance can be stored and its worker is not stalled, else 503 with the reason. For load ' +
      'balancers; no credentials.',
  })
  @ApiOkResponse({ type: ReadyView, description: 'healthy' })
  @ApiServiceUnavailableResponse({ type: ReadyView, description: 'not healthy' })
  async getReadiness(@Res({ passthrough: true }) reply: FastifyReply): Promise<ReadyView> {
    const reason = await this.checks.whyNotReady();
    return { ...answer(reply, reason === undefined), ...(reason !== undefined && { reason }) };
  }
}

function answer(reply: FastifyReply, healthy: boolean): HealthView {
  reply.status(healthy ? HttpStatus.OK : HttpStatus.SERVICE_UNAVAILABLE);
  return toView(healthy ? 'ok' : 'error');
}

function toView(status: HealthView['status']): HealthView {
  return { status, timestamp: new Date().toISOString() };
}
