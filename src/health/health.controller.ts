import { Controller, Get, HttpStatus, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public } from '../auth/principal.js';
import { Prisma } from '../database/prisma.js';

/** How long the database may take to answer. */
const DATABASE_MS = 1_000;

export class HealthView {
  @ApiProperty({ enum: ['ok', 'error'] })
  status: 'ok' | 'error';

  @ApiProperty({ format: 'date-time' })
  timestamp: string;
}

@ApiTags('health')
@Public()
@Controller('health')
export class HealthController {
  constructor(private readonly prisma: Prisma) {}

  @Get()
  @ApiOperation({ summary: 'ok while the database answers within a second' })
  @ApiOkResponse({ type: HealthView })
  @ApiServiceUnavailableResponse({ type: HealthView })
  async health(@Res({ passthrough: true }) reply: FastifyReply): Promise<HealthView> {
    if (await this.databaseAnswers()) return view('ok');
    reply.status(HttpStatus.SERVICE_UNAVAILABLE);
    return view('error');
  }

  @Get('live')
  @ApiOperation({ summary: 'ok while the process runs' })
  @ApiOkResponse({ type: HealthView })
  live(): HealthView {
    return view('ok');
  }

  @Get('ready')
  @ApiOperation({ summary: 'ok while webhooks can be stored' })
  @ApiOkResponse({ type: HealthView })
  @ApiServiceUnavailableResponse({ type: HealthView })
  ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<HealthView> {
    return this.health(reply);
  }

  private async databaseAnswers(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), DATABASE_MS);
    });
    const answer = this.prisma.$queryRaw`SELECT 1`.then(
      () => true,
      () => false,
    );
    return Promise.race([answer, late]).finally(() => clearTimeout(timer));
  }
}

function view(status: HealthView['status']): HealthView {
  return { status, timestamp: new Date().toISOString() };
}
