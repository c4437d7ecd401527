import type { Command } from 'commander';
import type { DetailedMemoryRecord } from '../../http/routes/memories/memory-details.ts';
import { Service } from '../client/service.ts';
import { type AskOptions, serviceCommand } from '../client/service-options.ts';
import { showTime } from '../output/local-time.ts';
import { type Print, printJson } from '../output/print-list.ts';
import { printable, printableLine } from '../output/printable.ts';
import { style } from '../output/terminal.ts';
import { findMemory } from './find-memory.ts';

/** `memoryd show ID|NAME` */
export function showCommand(print: Print): Command {
  return serviceCommand('show')
    .argument('<id>', 'of a memory: its beginning is enough; or its name')
    .action(async (reference: string, options: AskOptions) => {
      const { memory } = await findMemory(new Service(options), reference);
      if (options.json) printJson(print, { data: memory });
      else memoryLines(memory).forEach(print);
    });
}

const labelWidth = 14;

/** A memory as lines for people: its fields, an empty line, its text. */
function memoryLines(memory: DetailedMemoryRecord): string[] {
  const stated = fieldsOf(memory).filter(([, value]) => value !== undefined && value !== '');
  const fields = stated.map(
    ([label, value]) => `${style('dim', label.padEnd(labelWidth))}${printableLine(String(value))}`,
  );
  return [`${style('yellow', memory.id)}`, ...fields, '', printable(memory.content)];
}

type Field = readonly [label: string, value: string | number | undefined];

function fieldsOf(memory: DetailedMemoryRecord): Field[] {
  const { conversationContext: place, metadata, effectiveState, createdAt, updatedAt } = memory;
  return [
    ['name', memory.name],
    ['version', memory.version],
    ['type', memory.memoryType],
    ['state', effectiveState === 'current' ? undefined : effectiveState],
    ['role', memory.role],
    ['topics', memory.topics.join(', ')],
    [
      'conversation',
      place && `${place.title} (${place.position} of ${place.memoryCount}), ${place.conversationId}`,
    ],
    ['happened', showTime(memory.eventTime)],
    ['valid from', showTime(memory.validFrom)],
    ['valid to', showTime(memory.validTo)],
    ['written', showTime(createdAt)],
    ['changed', updatedAt === createdAt ? undefined : showTime(updatedAt)],
    ['external id', memory.externalId],
    ['metadata', metadata && JSON.stringify(metadata)],
    ...(memory.facts ?? []).map(
      ({ subject, predicate, object }): Field => ['fact', `${subject} ${predicate} ${object}`],
    ),
    ...(memory.relationships ?? []).map(
      ({ type, direction, targetMemoryId, targetPreview = '' }): Field => [
        direction === 'outgoing' ? type.toLowerCase() : `${type.toLowerCase()} ←`,
        `${targetMemoryId} ${targetPreview}`,
      ],
    ),
  ];
}
