import { Body, Controller, Delete, Get, HttpStatus, Put, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Does } from '../../platform/http/does.js';
import { MessageView } from '../../platform/http/fields/message.view.js';
import { InShare } from '../../platform/http/limits/shares.js';
import { Refuses } from '../../platform/http/openapi/errors.js';
import { CallerLink, ForPermission, type Link } from '../../user-links/restaurant.guard.js';
import { ApiCodeInPath, CodeInPath, type CodeOfPath } from './code-params.js';
import { CodeSetView, CodesView, QueryCodesDto, SetCodeDto } from './codes.dto.js';
import { CodesService } from './codes.service.js';
import { CODES_CODES } from './error-codes.js';

/** The codes of a restaurant at its POS (I7). */
@ApiTags('codes')
@Controller('restaurants/:restaurantId/codes')
export class CodesController {
  constructor(private readonly codes: CodesService) {}

  @Get()
  @InShare('reports')
  @ForPermission('manage_data')
  @Does(
    'Lists what the POS calls the products and tenders of a restaurant',
    'Each code of the terminal that has another one, or another name, at the POS.',
  )
  @ApiOkResponse({ type: CodesView, description: 'the codes' })
  async listCodes(@CallerLink() { restaurantId }: Link, @Query() { kind }: QueryCodesDto): Promise<CodesView> {
    return { data: await this.codes.list(restaurantId, kind) };
  }

  @Put(':kind/:terminalCode')
  @ForPermission('manage_settings')
  @Does(
    'Sets what the POS calls a product or a tender',
    'It holds for the next order that is sent, also for one that is sent again; stored sales are not changed.',
  )
  @ApiCodeInPath()
  @ApiCreatedResponse({ type: CodeSetView, description: 'the code is set; there was none' })
  @ApiOkResponse({ type: CodeSetView, description: 'the code is set in place of another one' })
  @Refuses(CODES_CODES.TOO_MANY_CODES, 'QUOTA_REACHED')
  async setCode(
    @CallerLink() caller: Link,
    @CodeInPath() place: CodeOfPath,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body() body: SetCodeDto,
  ): Promise<CodeSetView> {
    const { code, created } = await this.codes.set(caller, place, body);
    reply.status(created ? HttpStatus.CREATED : HttpStatus.OK);
    return { message: 'the code is set: it holds for the next order', data: code };
  }

  @Delete(':kind/:terminalCode')
  @ForPermission('manage_settings')
  @Does('Removes a code', "Orders have the terminal's code again.")
  @ApiCodeInPath()
  @ApiOkResponse({ type: MessageView, description: 'the code is removed' })
  @Refuses('NOT_FOUND', 'QUOTA_REACHED')
  async removeCode(@CallerLink() caller: Link, @CodeInPath() place: CodeOfPath): Promise<MessageView> {
    await this.codes.remove(caller, place);
    return { message: 'the code is removed' };
  }
}
