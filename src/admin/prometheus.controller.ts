import { Controller, Get, Res } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Does } from '../platform/http/does.js';
import { MetricsReader } from './metrics-token.guard.js';
import { OverviewService } from './overview.service.js';

/** Metrics for Prometheus (R6). Prometheus may send METRICS_TOKEN instead of a JWT (R7). */
@ApiTags('admin')
@MetricsReader()
@Controller('admin')
export class PrometheusController {
  constructor(private readonly overview: OverviewService) {}

  @Get('metrics/prometheus')
  @Does(
    'Returns metrics for Prometheus',
    'Gauges are of the whole deployment, counters and histograms of this instance. docs/operations.md describes each ' +
      'metric.',
  )
  @ApiProduces('text/plain')
  @ApiOkResponse({ schema: { type: 'string' }, description: 'metrics in the text format of Prometheus' })
  async getPrometheusMetrics(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    const { contentType, text } = await this.overview.prometheus();
    reply.type(contentType);
    return text;
  }
}
