/** What counts as a violation, as phrases with the score each gives; where words alone are harmless, only the intent is listed. */

import type { ModerationCategory } from '../../../operations/moderate.ts';

export type Verdicts = readonly (readonly [ModerationCategory, number])[];

export interface ModerationRule {
  readonly phrases: readonly string[];
  readonly verdicts: Verdicts;
}

function rule(verdicts: Readonly<Partial<Record<ModerationCategory, number>>>, ...phrases: string[]): ModerationRule {
  return { phrases, verdicts: Object.entries(verdicts) as [ModerationCategory, number][] };
}

const harassment: readonly ModerationRule[] = [
  rule(
    { harassment: 0.75 },
    'you are <degree>? <degree>? <degree>? <insult>|<contempt>',
    'your a|an|such <degree>? <degree>? <insult>',
    'you <degree>? <degree>? <degree>? <insult>',
    'are you <degree>? <insult>|stupid|dumb|retarded',
    'fuck you',
    'go fuck yourself',
    'everyone|everybody hates you',
    'world ~3 better ~2 without you',
    'die in a fire',
  ),
  rule(
    { harassment: 0.6 },
    'shut up ~1 <insult>',
    'shut the fuck|hell up',
    'fuck off',
    'piece of shit',
    'drop dead !gorgeous|date|deadline|simple|easy',
    'nobody|one likes|loves|wants you !to',
    'nobody cares about you',
    'i ~1 hate you',
    'go to hell',
    'stfu',
  ),
  rule({ harassment: 0.85 }, 'hope you ~2 die|suffer|rot|burn|choke', 'hope you get cancer|raped|hit|killed|shot'),
  rule(
    { harassment: 0.9, 'self-harm': 0.8 },
    'kill|hang|drown|unalive yourself',
    'shoot yourself !in',
    'kys|killyourself|killurself',
    'go|should|just end your life',
    'go|should|please jump off <det>? bridge|cliff|roof|building',
    'slit your wrists',
  ),
];

const threats: readonly ModerationRule[] = [
  rule(
    { 'harassment/threatening': 0.92, violence: 0.85 },
    'i|we <intend> ~2 <kill> <own>? <person>',
    'i|we <intend> ~1 shoot|poison <own>? <person> !<otherShot>',
    'i|we <intend> ~1 <kill>|shoot <own>? <child> !<process>',
    'i|we <intend> ~1 <hurt> you|him|her|them',
    'find you and ~1 <kill>|<hurt>',
    'slit|cut your throat',
    'put|putting a bullet in|through your|you|his|her|their',
    'burn your house|home|car',
    'burn down your house|home',
    '<kill> you all|slowly|bitch|tonight|both',
  ),
  rule(
    { 'harassment/threatening': 0.75, violence: 0.65 },
    'gonna ~1 <kill> <own>? <person>',
    'murder|strangle|stab|behead you',
    'break|smash|shatter|crush your <body>|head',
    'beat you|him|her|them ~2 up|senseless|bloody',
    'beat you to death',
    'beat the shit|crap|hell out of you|him|her',
    'you are|will|gonna be? dead meat',
    'you are a dead man|woman|person|meat',
    'you deserve to die|bleed|suffer',
    'make you suffer|bleed|scream|beg',
  ),
  rule(
    { 'harassment/threatening': 0.7, violence: 0.3 },
    'i know where you live',
    'know where your ~1 sleep|live|lives',
    'you are dead !tired|wrong|right|on|serious|set|to|last|center|certain|sure',
    'you are going|gonna to? die !laughing|of|for|when|if',
    'watch your back !when|while|posture|pain|and|muscles',
    'will regret ~2 born',
  ),
  rule({ 'harassment/threatening': 0.4, violence: 0.4 }, 'kill you', 'hurt you', 'you will die'),
];

const hate: readonly ModerationRule[] = [
  rule(
    { hate: 0.85, harassment: 0.6 },
    '<slur>',
    'i|we ~1 hate|despise|detest all? the? <group> !food|clothing|clothes',
  ),
  rule(
    { hate: 0.8 },
    '<group> are ~2 <subhuman>',
    '<group> do not deserve ~3 live|rights|vote|exist|respect|freedom|life',
    '<group> should not ~3 vote|exist|breed',
    '<group> are ~1 ruining|destroying|invading|poisoning|replacing',
    '<group> belong in ~1 kitchen|ovens|camps|cages|zoo|gutter',
    '<group> control|run|own the ~1 banks|media|world|government',
    'get|getting rid of ~2 <group>',
    '<group> are not human|people|humans',
  ),
  rule(
    { 'hate/threatening': 0.92, violence: 0.8 },
    '<kill>|exterminate|gas|hang|shoot|burn|bomb|eradicate|annihilate all? the? <group>',
    '<group> should|must|deserve ~2 burn|hang !calories|fat|on|out|up|the|their|more|off',
    '<group> should|must|deserve ~2 die|killed|exterminated|shot|hanged|gassed|eradicated|lynched',
    'death to ~1 <group>',
    '<kill>|hang|gas all? the? <slur>',
  ),
];

const illicit: readonly ModerationRule[] = [
  rule(
    { 'illicit/violent': 0.92, violence: 0.55 },
    '<howto> <adverb>? <make> <det>? <kind>? <kind>? <weapon> !shelter|shelters|disposal|detector|detectors|squad|game|cyclone',
    'recipe|instructions|tutorial|guide|manual for|on|to <det>? <kind>? <weapon> !shelter|shelters|disposal|detector|squad|game',
    'bomb making instructions|guide|recipe|manual',
    '<howto> <adverb>? <kill>|poison|shoot <own>? <person> !with|at|in',
    '<howto> <adverb>? <kill>|poison <own>? <child> !<process>',
    '<howto> <adverb>? get away with murder|killing',
    '<howto> <adverb>? plan|carry|commit|plot ~2 shooting|massacre|terror|terrorist|bombing|murder',
  ),
  rule(
    { 'illicit/violent': 0.75 },
    'build|make|making|building <det>? <kind>? bomb|bombs|molotov|ied|grenade !shelter|shelters|disposal|detector|squad|game',
    'hire|find|pay a hitman|assassin|killer',
    'hide|dispose|rid of? a|the|his|her dead? body|corpse !element|tag|text|section|of|content|scroll|scrollbar|fat|hair|odor|and',
    'buy|get ~2 gun|guns|firearm without|illegally',
  ),
  rule(
    { illicit: 0.88 },
    '<howto> <adverb>? <make> <det>? <kind>? <drug>',
    '<howto> <adverb>? buy|sell|smuggle|traffic|import|grow ~2 <drug>',
    'recipe|instructions|tutorial|guide for|on|to <kind>? <drug>',
    'cook ~1 meth|crack|heroin',
    '<howto> <adverb>? launder ~2 money|cash',
    '<howto> <adverb>? steal ~3 <stealable>',
    '<howto> <adverb>? rob ~2 bank|banks|store|house|someone|people|casino',
    '<howto> <adverb>? counterfeit|forge <det>? ~1 <forgeable>',
    '<howto> <adverb>? <make>|get|buy <det>? fake|counterfeit|forged ~1 <forgeable>',
    '<howto> <adverb>? <make>|write|send|spread|code|deploy ~2 <malware>',
  ),
  rule(
    { illicit: 0.75 },
    'write|code|build me? ~2 ransomware|keylogger|malware|botnet',
    'write|writing|send|sending|create|creating ~2 phishing email|emails|page|site|website !test|simulation|training|filter',
    '<howto> <adverb>? hack ~4 <hackable>',
    '<howto> <adverb>? break into ~2 <burglable>',
    '<howto> <adverb>? hotwire ~2 car|truck|vehicle',
    '<howto> <adverb>? shoplift|embezzle|blackmail|extort|pickpocket',
    '<howto> <adverb>? evade|dodge ~2 taxes|tax',
    '<howto> <adverb>? commit ~2 fraud|theft|burglary|robbery|arson',
    '<howto> <adverb>? get away with ~1 robbery|theft|fraud|arson|shoplifting|stealing|crime',
    '<howto> <adverb>? track|stalk|spy ~3 without ~2 knowing|knowledge|noticing',
  ),
];

const selfHarm: readonly ModerationRule[] = [
  rule(
    { 'self-harm/intent': 0.92 },
    'i <intend> ~2 kill|hurt|harm|cut|hang|drown|shoot|starve|unalive myself',
    'i <intend> ~1 commit suicide',
    'end|ending|take|taking my own? life !insurance|story|savings|back|seriously|for',
    'am|feel|feeling ~1 suicidal',
    'wish i was|were ~1 dead',
    'wish i had|was|were never ~1 born',
    'i ~2 want to die !laughing|of|hard|on|in|a|for',
    'do not|never want|wanna to? ~1 live|exist !in|here|with|there|near|like|by|without|on',
    'do not|never want to ~1 be alive|here anymore',
  ),
  rule(
    { 'self-harm/intent': 0.75 },
    'kill|killing|unalive|hanging|drowning myself',
    'hurt|hurting|harm|harming|cutting|starving myself',
    'i ~1 killed|kill|hurt myself',
    'i ~1 self harm',
    'i ~2 cut myself !shaving|while|on|with|when|off|a|some|opening|by|cooking|in',
    'no reason|point to|in ~1 live|living !in|here|there|with|near',
    'better off dead',
    'better off without me',
    'i ~3 end it all',
    'thinking|think|thoughts|thought about|of suicide|dying',
    'write|writing|wrote|written my|a suicide note',
  ),
  rule(
    { 'self-harm/instructions': 0.92 },
    '<howto> <adverb>? kill|hang|harm|hurt|cut|poison|drown|starve|unalive myself|yourself|oneself !some|off|out|a|loose|short',
    '<howto> <adverb>? commit suicide',
    '<howto> <adverb>? die painlessly|quickly|peacefully|without|fast',
    'painless|quickest|easiest|fastest way|ways|method|methods to|of ~1 die|suicide|myself|yourself',
    'how many|much ~2 <pill> ~6 overdose|die|lethal|fatal|kill',
    '<howto> <adverb>? overdose !in|treatment',
    'suicide methods|method|instructions',
    '<howto> <adverb>? tie|make a noose',
    '<howto> <adverb>? hide ~1 cuts|cutting',
    '<howto> <adverb>? hide ~1 self harm',
  ),
  rule({ 'self-harm': 0.3 }, 'suicide|suicidal', 'self harm|injury', 'selfharm'),
];

const sexual: readonly ModerationRule[] = [
  rule(
    { sexual: 0.8 },
    '<explicitWord>',
    'send|show|share|give ~2 nudes',
    'send|show|share ~3 nude|naked pics|pictures|photos|selfies|pic|photo|picture',
    'suck|lick|ride my|his|your dick|cock|balls',
    'eat|lick|fuck|finger|wet|tight my|her|your? pussy',
    'i|we <intend> ~1 fuck you|him|her !over|up',
    'fuck me hard|harder|now|tonight|daddy|please',
    'cum in|on|inside my|her|me|your|you|his',
    'write|tell ~3 erotic|erotica|smut|pornographic',
    'explicit|graphic|hardcore sex|sexual ~1 scene|story|content|roleplay',
    'oral|anal sex with|on|scene|position|positions|video',
    'i|we <intend> ~1 have sex with|tonight',
    'have sex with me|you',
  ),
  rule(
    { sexual: 0.6 },
    'porn|pornography !addiction|addict|addicts|ban|bans|industry|law|laws|filter|filters|blocker|legislation|site|sites',
    'watch|watching ~1 porn|pornography',
    'i am ~2 horny',
    'so|feeling horny',
    'big|huge tits|boobs|cock|dick',
    'naked|nude girls|women|men|guys|babes|models',
    'sex tape|tapes|toy|toys|cam|chat|scene',
    'hard|throbbing cock|dick',
  ),
  rule({ sexual: 0.2 }, 'sex|sexy|nude|nudes|naked|erotic'),
  rule(
    { 'sexual/minors': 0.95 },
    'sex|intercourse|sexting with ~2 <minor>',
    'sex !education|ed ~2 <ageOfMinor> year|years|yo|yr',
    'sex !education|ed ~3 <ageWithUnit>',
    '<sexualMedia> ~1 of|about|with|involving|featuring ~2 <minor>|<ageWithUnit>',
    '<sexualMedia> ~1 of|about|with|involving|featuring ~2 <ageOfMinor> year|years|yo',
    '<minor> porn|pornography|nudes|erotica|hentai|sex !abuse|education|ed|offender|offenders|trafficking|crimes',
    'nude|naked|sexy|sexualized <minor> !bath',
    '<ageOfMinor> year|years old ~3 nude|nudes|naked|sexy|porn',
    '<ageWithUnit> ~2 nude|nudes|naked|sexy|porn|sex',
    'lolicon|shotacon|childporn',
  ),
];

const violence: readonly ModerationRule[] = [
  rule(
    { violence: 0.9, 'harassment/threatening': 0.6 },
    'i|we <intend> ~1 shoot|blow|bomb|burn|attack up|down? <det>? ~1 <crowd>',
    'shoot up <det>? ~1 <crowd>',
    'plant|planting|planted a bomb',
  ),
  rule(
    { violence: 0.7, 'illicit/violent': 0.5 },
    'blow up <det>? ~1 <crowd>|government|house|car',
    'burn ~2 <person> alive',
  ),
  rule(
    { violence: 0.65 },
    'he|she|they wants|want|will|plans|plan to? ~1 <kill> <own>? <person>',
    'beat|beating|beaten|stabbed|tortured|kicked ~2 to death',
    'beat|hit|stab|kick him|her|them|you until|till ~2 bleeds|bleed|dies|die|dead',
    '<kill>|shoot everyone|everybody !a|an',
    'we|must|should <kill>|shoot them all?',
    'stabbed|shot|shoot|stab <person> ~1 in the head|chest|neck|face|throat|stomach|eye|back',
  ),
  rule(
    { 'violence/graphic': 0.75 },
    'severed head|heads|limb|limbs|arm|arms|leg|legs|hand|hands|finger|fingers',
    'blood ~1 sprayed|spraying|spurting|spurted|gushing|gushed|splattered|splattering',
    'brains|brain ~2 splattered|wall|splatter',
    'guts|intestines|entrails|bowels ~3 spilled|spilling|spill|hanging|floor',
    'decapitated|disemboweled|disembowelled|dismembered|eviscerated ~2 body|bodies|corpse|corpses|head|him|her|man|woman|victim|victims',
    'ripped|tore|hacked|sawed|ripping|tearing|hacking|sawing ~1 his|her|their|the throat|head|limbs|flesh|eyes|arm|leg ~1 off|out|open|apart|from',
    'skull ~2 crushed|caved|smashed|exploded|shattered|cracked',
    'gouged|gouging ~2 eyes|eye',
    'mutilated body|bodies|corpse|corpses',
  ),
];

export const rules: readonly ModerationRule[] = [
  ...harassment,
  ...threats,
  ...hate,
  ...illicit,
  ...selfHarm,
  ...sexual,
  ...violence,
];
