import { ApiProperty } from '@nestjs/swagger';

/** Body of a success that returns no data: a confirmation for people. */
export class MessageView {
  @ApiProperty()
  message: string;
}
