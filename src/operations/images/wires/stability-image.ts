/** Stability AI stable-image API v2beta: a form in, the image as base64 in JSON out. https://platform.stability.ai/docs/api-reference (read 2026-11-16). */

import { isObject } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Converted } from '../../../conversation/parts.ts';
import { pathSegment } from '../../audio/address-parts.ts';
import { unsupported } from '../../field-checks.ts';
import type { EditImageRequest, ImageReply, MakeImageRequest } from '../../images.ts';
import type { FormField, ProviderWire, ReplyMaking, WireReply, WrittenRequest } from '../../wire.ts';
import { textOr } from '../../wire-replies.ts';
import type { EditImageWire } from '../image-wire.ts';
import { mediaTypeOf } from '../inline-images.ts';
import { refused } from '../provider-failure.ts';
import { nearestShape } from '../sizes.ts';
import { reportCount, reportUnsupportedOptions } from '../unsupported-options.ts';
import { fileOf } from './openai-image-edits.ts';
import {
  type StabilityService,
  stabilityEditing,
  stabilityMaking,
  stabilityStyles,
  unknownEditing,
  unknownMaking,
} from './stability-services.ts';

const name = 'stability-image';
const inputsMax = 1;
const seedMost = 4_294_967_294;
const ratios = ['1:1', '16:9', '21:9', '3:2', '2:3', '4:5', '5:4', '9:16', '9:21'];

const both = {
  name,
  inputsMax,
  readReply,
  measure: (reply: unknown) => ({ images: imageIn(reply) === undefined ? 0 : 1 }),
};

export const stabilityMakesImages: ProviderWire<MakeImageRequest, ImageReply> = {
  ...both,
  operation: 'make-image',
  writeRequest: (request, model) => writeRequest({ ...request, images: [] }, model, makingService(model)),
};

export const stabilityEditsImages: EditImageWire = {
  ...both,
  operation: 'edit-image',
  takes: { kinds: ['file'], mask: true },
  writeRequest: (request, model) => writeRequest(request, model, editingService(model)),
};

function makingService(model: string): StabilityService {
  const known = serviceOf(stabilityMaking, model);
  if (known !== undefined) return known;
  if (serviceOf(stabilityEditing, model) !== undefined) {
    throw unsupported('model', 'This model changes images; it makes none from words alone.');
  }
  return { ...unknownMaking, place: `/generate/${pathSegment('model', model)}` };
}

function editingService(model: string): StabilityService {
  const known = serviceOf(stabilityEditing, model);
  if (known !== undefined) return known;
  if (serviceOf(stabilityMaking, model) !== undefined) {
    throw unsupported('model', 'This model makes images from words; it changes none.');
  }
  return { ...unknownEditing, place: `/edit/${pathSegment('model', model)}` };
}

function serviceOf(services: readonly StabilityService[], model: string): StabilityService | undefined {
  return services.find(({ models }) => models.test(model));
}

function writeRequest(request: EditImageRequest, model: string, service: StabilityService): Converted<WrittenRequest> {
  const losses = new LossList();
  reportCount(request.count, inputsMax, losses);
  const own = ownFields(request, service);
  const fields: FormField[] = [
    ...Object.entries({ ...service.fixed, ...own }).map(([field, value]) => ({ name: field, value })),
    ...(service.namesModel && model !== 'sd3' ? [{ name: 'model', value: model }] : []),
    ...saidFields(request, service, own, losses),
    ...imageFields(request, service, losses),
  ];
  const headers = { accept: 'application/json' };
  return { value: { body: { kind: 'form', fields }, suffix: service.place, headers }, losses: losses.all };
}

/** The caller's fields under the service's own names, which no client wire has. */
function ownFields({ extras }: EditImageRequest, service: StabilityService): Record<string, string> {
  const own: Record<string, string> = {};
  for (const field of service.own) {
    const value = extras?.fields[field];
    if (typeof value === 'string' || typeof value === 'number') own[field] = String(value);
  }
  return own;
}

function saidFields(
  request: EditImageRequest,
  service: StabilityService,
  own: Readonly<Record<string, string>>,
  losses: LossList,
): FormField[] {
  const { outputFormat, seed, style, negativePrompt, extras } = request;
  const format = service.outputFormats.find((known) => known === outputFormat);
  const isSeed = service.seed === true && seed !== undefined && seed >= 0 && seed <= seedMost;
  const preset = service.style === true && style !== undefined && stabilityStyles.has(style) ? style : undefined;
  const left = Object.entries(extras?.fields ?? {}).filter(([field]) => !Object.hasOwn(own, field));
  const { extras: _, ...options } = request;
  const said = [
    ...(service.ratio ? (['size'] as const) : []),
    ...(format === undefined ? [] : (['outputFormat'] as const)),
    ...(isSeed ? (['seed'] as const) : []),
    ...(preset === undefined ? [] : (['style'] as const)),
    ...(service.negativePrompt ? (['negativePrompt'] as const) : []),
    ...(service.mask ? (['mask'] as const) : []),
  ];
  const remaining =
    extras && left.length > 0 ? { ...options, extras: { ...extras, fields: Object.fromEntries(left) } } : options;
  reportUnsupportedOptions(remaining, name, said, losses);
  if (service.prompt !== true) losses.add('prompt', 'is not read by this service');
  const values: Readonly<Record<string, string | undefined>> = {
    prompt: service.prompt ? request.prompt : undefined,
    negative_prompt: service.negativePrompt ? negativePrompt : undefined,
    aspect_ratio: service.ratio ? nearestShape(request.size, ratios, [], losses).ratio : undefined,
    seed: isSeed ? String(seed) : undefined,
    style_preset: preset,
    output_format: format,
  };
  return Object.entries(values).flatMap(([field, value]) => (value === undefined ? [] : [{ name: field, value }]));
}

function imageFields({ images, mask }: EditImageRequest, service: StabilityService, losses: LossList): FormField[] {
  const fields = images.flatMap((image, index): FormField[] => {
    const field = service.images[index];
    const file = field === undefined ? undefined : fileOf(image, field, `image-${index + 1}`);
    if (field !== undefined && file !== undefined) return [{ name: field, value: file }];
    losses.add(`images[${index}]`, 'the service cannot take it');
    return [];
  });
  if (mask === undefined || service.mask !== true) return fields;
  const file = fileOf(mask, 'mask', 'mask');
  if (file === undefined) {
    losses.add('mask', 'the service cannot take it');
    return fields;
  }
  // Callers of other wires make the part transparent that may change.
  losses.add('mask', 'is read by its brightness: white is changed, black is kept');
  return [...fields, { name: 'mask', value: file }];
}

function imageIn(tree: unknown): string | undefined {
  const image = isObject(tree) ? tree['image'] : undefined;
  return typeof image === 'string' && image !== '' ? image : undefined;
}

function readReply({ tree }: WireReply, request: MakeImageRequest, making: ReplyMaking): Converted<ImageReply> {
  const reason = isObject(tree) ? textOr(tree['finish_reason'], '') : '';
  // What comes with it is blurred.
  if (reason === 'CONTENT_FILTERED') throw refused('its filter found the image unsafe (CONTENT_FILTERED)');
  const data = imageIn(tree);
  if (data === undefined) throw new SyntaxError('The reply holds no image.');
  const mediaType = mediaTypeOf(data, `image/${request.outputFormat ?? 'png'}`);
  const images = [{ source: { kind: 'base64', data, mediaType } as const }];
  return { value: { createdAtMs: making.nowMs, images, consumption: { images: 1 } }, losses: [] };
}
