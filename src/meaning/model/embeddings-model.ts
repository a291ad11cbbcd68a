/**
 * The model that makes vectors, as its server is asked for it: of the settings, or of vectors that are stored already.
 */
import type { EmbeddingsSettings } from '../../config/model-settings.ts';
import { findKnownModel } from './known-models.ts';

export type EmbeddingsModel = Readonly<{
  url: string;
  model: string;
  apiKey: string | undefined;
  /** The numbers that the server is asked for; undefined: it is not asked, which not every model allows. */
  askedDimensions: number | undefined;
  /** The numbers that a vector must have; undefined: not known yet. */
  dimensions: number | undefined;
  queryPrefix: string;
  passagePrefix: string;
}>;

/** A model whose vectors are stored. */
export type StoredModel = Readonly<{
  url: string;
  model: string;
  dimensions: number;
  queryPrefix: string;
  passagePrefix: string;
}>;

/** The model of the settings. Prefixes that they do not have are those that it is known to need. */
export function modelOf(settings: EmbeddingsSettings): EmbeddingsModel {
  const { url, model, apiKey, dimensions } = settings;
  const known = findKnownModel(model);
  return {
    url,
    model,
    apiKey,
    askedDimensions: dimensions,
    dimensions,
    queryPrefix: settings.queryPrefix ?? known?.query ?? '',
    passagePrefix: settings.passagePrefix ?? known?.passage ?? '',
  };
}

const originOf = (url: string): string => new URL(url).origin;

/** Whether vectors of `stored` were made with other dimensions than the model makes by itself. */
function wasAsked(stored: StoredModel, settings: EmbeddingsSettings): boolean {
  const own = findKnownModel(stored.model)?.dimensions;
  if (own !== undefined) return own !== stored.dimensions;
  return stored.model === settings.model && settings.dimensions !== undefined;
}

/**
 * The model that made the stored vectors, to which only its own are compared. It may be another than the
 * settings' model while their vectors are made: then it is asked at its own address, with the key only if that is the
 * same server.
 */
export function storedModel(stored: StoredModel, settings: EmbeddingsSettings): EmbeddingsModel {
  const { url, model, dimensions, queryPrefix, passagePrefix } = stored;
  return {
    url,
    model,
    apiKey: originOf(url) === originOf(settings.url) ? settings.apiKey : undefined,
    askedDimensions: wasAsked(stored, settings) ? dimensions : undefined,
    dimensions,
    queryPrefix,
    passagePrefix,
  };
}
