/** Google Gemini API: the sources that a candidate names. https://ai.google.dev/api/generate-content#GroundingMetadata (read 2026-11-16) */

import { z } from 'zod';

const text = z.string();
const count = z.int().nonnegative();

const date = z.strictObject({ year: count.optional(), month: count.optional(), day: count.optional() });

/** One of the two services with the format calls the list `citations`, the other `citationSources`. */
const citation = z.strictObject({
  startIndex: count.optional(),
  endIndex: count.optional(),
  uri: text.optional(),
  title: text.optional(),
  license: text.optional(),
  publicationDate: date.optional(),
});
export const citationMetadata = z.strictObject({
  citationSources: z.array(citation).optional(),
  citations: z.array(citation).optional(),
});

const reviewSnippets = z.array(
  z.strictObject({
    reviewId: text.optional(),
    title: text.optional(),
    review: text.optional(),
    googleMapsUri: text.optional(),
    flagContentUri: text.optional(),
    relativePublishTimeDescription: text.optional(),
    authorAttribution: z
      .strictObject({ displayName: text.optional(), photoUri: text.optional(), uri: text.optional() })
      .optional(),
  }),
);

const retrievedContext = z.strictObject({
  uri: text.optional(),
  title: text.optional(),
  text: text.optional(),
  documentName: text.optional(),
  fileSearchStore: text.optional(),
  mediaId: text.optional(),
  pageNumber: count.optional(),
  ragChunk: z
    .strictObject({
      text: text.optional(),
      chunkId: text.optional(),
      fileId: text.optional(),
      pageSpan: z.strictObject({ firstPage: count.optional(), lastPage: count.optional() }).optional(),
    })
    .optional(),
  customMetadata: z
    .array(
      z.strictObject({
        key: text.optional(),
        numericValue: z.number().optional(),
        stringValue: text.optional(),
        stringListValue: z.strictObject({ values: z.array(text).optional() }).optional(),
      }),
    )
    .optional(),
});

const groundingChunk = z.strictObject({
  web: z.strictObject({ uri: text.optional(), title: text.optional(), domain: text.optional() }).optional(),
  image: z
    .strictObject({
      sourceUri: text.optional(),
      imageUri: text.optional(),
      title: text.optional(),
      domain: text.optional(),
    })
    .optional(),
  retrievedContext: retrievedContext.optional(),
  maps: z
    .strictObject({
      uri: text.optional(),
      title: text.optional(),
      text: text.optional(),
      placeId: text.optional(),
      placeAnswerSources: z
        .strictObject({
          flagContentUri: text.optional(),
          reviewSnippet: reviewSnippets.optional(),
          reviewSnippets: reviewSnippets.optional(),
        })
        .optional(),
      route: z
        .strictObject({
          distanceMeters: count.optional(),
          duration: text.optional(),
          encodedPolyline: text.optional(),
        })
        .optional(),
    })
    .optional(),
});

const segment = z.strictObject({
  partIndex: count.optional(),
  startIndex: count.optional(),
  endIndex: count.optional(),
  text: text.optional(),
});

export const groundingMetadata = z.strictObject({
  groundingChunks: z.array(groundingChunk).optional(),
  groundingSupports: z
    .array(
      z.strictObject({
        segment: segment.optional(),
        groundingChunkIndices: z.array(count).optional(),
        confidenceScores: z.array(z.number()).optional(),
        renderedParts: z.array(count).optional(),
      }),
    )
    .optional(),
  webSearchQueries: z.array(text).optional(),
  imageSearchQueries: z.array(text).optional(),
  retrievalQueries: z.array(text).optional(),
  searchEntryPoint: z.strictObject({ renderedContent: text.optional(), sdkBlob: text.optional() }).optional(),
  retrievalMetadata: z.strictObject({ googleSearchDynamicRetrievalScore: z.number().optional() }).optional(),
  googleMapsWidgetContextToken: text.optional(),
  sourceFlaggingUris: z
    .array(z.strictObject({ sourceId: text.optional(), flagContentUri: text.optional() }))
    .optional(),
});

export const urlContextMetadata = z.strictObject({
  urlMetadata: z
    .array(
      z.strictObject({
        retrievedUrl: text.optional(),
        urlRetrievalStatus: z
          .enum([
            'URL_RETRIEVAL_STATUS_UNSPECIFIED',
            'URL_RETRIEVAL_STATUS_SUCCESS',
            'URL_RETRIEVAL_STATUS_ERROR',
            'URL_RETRIEVAL_STATUS_PAYWALL',
            'URL_RETRIEVAL_STATUS_UNSAFE',
          ])
          .optional(),
      }),
    )
    .optional(),
});
