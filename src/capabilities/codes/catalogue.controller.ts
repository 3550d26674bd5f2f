import { Controller, Delete, Get, HttpStatus, Put, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiTags, ApiUnsupportedMediaTypeResponse } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FILE_WORK_CODES } from '../../platform/files/error-codes.js';
import { ReadsOwnBody } from '../../platform/http/body/own-body.js';
import { clientGone } from '../../platform/http/client-gone.js';
import { Does } from '../../platform/http/does.js';
import { MessageView } from '../../platform/http/fields/message.view.js';
import { InShare } from '../../platform/http/limits/shares.js';
import { Refuses } from '../../platform/http/openapi/errors.js';
import { CallerLink, ForPermission, type Link } from '../../user-links/restaurant.guard.js';
import {
  CatalogueReplacedAnswerView,
  CatalogueView,
  QueryCatalogueDto,
  ReplaceCatalogueQueryDto,
} from './catalogue.dto.js';
import { CatalogueReader } from './catalogue.reader.js';
import { CatalogueService } from './catalogue.service.js';
import { CODES_CODES } from './error-codes.js';

/** The products that the POS of a restaurant knows (I13 to I15). */
@ApiTags('codes')
@Controller('restaurants/:restaurantId/catalogue')
export class CatalogueController {
  constructor(
    private readonly catalogues: CatalogueService,
    private readonly reader: CatalogueReader,
  ) {}

  @Get()
  @InShare('reports')
  @ForPermission('manage_data')
  @Does(
    'Searches the catalogue of the POS',
    'By the beginning of a code, or of words of a name. Without a catalogue the list is empty.',
  )
  @ApiOkResponse({ type: CatalogueView, description: 'a page of products' })
  searchCatalogue(@CallerLink() { restaurantId }: Link, @Query() query: QueryCatalogueDto): Promise<CatalogueView> {
    return this.reader.search(restaurantId, query);
  }

  @Put()
  @ForPermission('manage_settings')
  @ReadsOwnBody('text/csv')
  @Does(
    'Replaces the catalogue of the POS by a file, as CSV',
    'At most 5 MB and 20,000 rows, with the columns code and name, and if it has one price; encodings, separators and amounts are read as those of a ' +
      "terminal's file. A file with a row that cannot be read changes nothing. Orders that wait are sent all the same. It is audited.",
  )
  @ApiConsumes('text/csv')
  @ApiBody({ required: true, schema: { type: 'string' } })
  @ApiOkResponse({ type: CatalogueReplacedAnswerView, description: 'what it has done, or would do' })
  @ApiUnsupportedMediaTypeResponse({ description: 'UNSUPPORTED_MEDIA_TYPE: the body is not uncompressed text/csv' })
  @Refuses(
    CODES_CODES.CATALOGUE_CHANGED,
    FILE_WORK_CODES.FILE_REFUSED,
    FILE_WORK_CODES.TOO_MANY_UPLOADS,
    FILE_WORK_CODES.TOO_MUCH_FILE_WORK,
    'QUOTA_REACHED',
  )
  async replaceCatalogue(
    @CallerLink() caller: Link,
    @Query() { preview = false }: ReplaceCatalogueQueryDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CatalogueReplacedAnswerView> {
    const data = await this.catalogues.replace(caller, request, preview, clientGone(reply));
    reply.status(HttpStatus.OK);
    const unchanged = preview ? 'nothing is changed yet' : 'the catalogue has these products already';
    return { message: data.replaced ? 'the catalogue is replaced' : unchanged, data };
  }

  @Delete()
  @ForPermission('manage_settings')
  @Does('Removes the catalogue of the POS', 'Sales have no warning of products that it lacks any more.')
  @ApiOkResponse({ type: MessageView, description: 'the catalogue is removed' })
  @Refuses('NOT_FOUND', 'QUOTA_REACHED')
  async removeCatalogue(@CallerLink() caller: Link): Promise<MessageView> {
    await this.catalogues.remove(caller);
    return { message: 'the catalogue is removed' };
  }
}
