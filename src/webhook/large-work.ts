import { Injectable } from '@nestjs/common';
import { HeavyWork } from '../http/heavy-work.js';

/** Turns of senders for reading large sales (W50). */
@Injectable()
export class LargeWork extends HeavyWork {}
