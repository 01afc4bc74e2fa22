// Asking, in German. The key is the English text.
export const german: Readonly<Record<string, string>> = {
    '... and {more}': '... und {more}',
    'A number from {least} to {most}.': 'Eine Zahl von {least} bis {most}.',
    'A whole number.': 'Eine ganze Zahl.',
    'Access is restricted.': 'Der Zugang ist beschränkt.',
    'After {waited}, at most {most}': 'Nach {waited}, höchstens {most}',
    'All of you became one cloak, and it went to the provider.':
        'Sie alle wurden zu einer Tarnung, und die ging an den Anbieter.',
    'Another road runs through the same place; the service took that.':
        'Am selben Ort verläuft noch eine Straße; der Dienst hat diese genommen.',
    'Answered: {places}. You were hidden among {company}.':
        'Beantwortet: {places}. Ihre Tarnung: {company}.',
    Anything: 'Beliebige Orte',
    'As GeoJSON': 'Als GeoJSON',
    Ask: 'Fragen',
    'Ask a question': 'Eine Frage stellen',
    'Ask again': 'Noch einmal fragen',
    'Ask again with a change:': 'Noch einmal fragen, aber:',
    'Ask for the nearest place here': 'Nach dem nächsten Ort fragen',
    'Ask for the nearest {category} here': '{category} in der Nähe suchen',
    'Ask for {roads}': 'Nur {roads} verlangen',
    'At least {least}.': 'Mindestens {least}.',
    'At most {most}.': 'Höchstens {most}.',
    'Attack it': 'Angreifen',
    'Byte by byte': 'Byte für Byte',
    'Change the question': 'Frage ändern',
    'Choose for me': 'Für mich wählen',
    'Click a road on the map.': 'Klicken Sie auf der Karte auf eine Straße.',
    Company: 'Gesellschaft',
    'Distance by road': 'Entfernung auf der Straße',
    'Earlier questions are answered first.': 'Frühere Fragen werden zuerst beantwortet.',
    'Enter the token that the operator gave you (starcloak token issue).':
        'Geben Sie das Token ein, das Sie vom Betreiber haben (starcloak token issue).',
    'Even if all of them were on one road, it could not be told which (l).':
        'Selbst wenn alle auf derselben Straße wären, wüsste niemand, auf welcher (l).',
    'First choose where you are.': 'Wählen Sie zuerst, wo Sie sind.',
    'Found company: {company}, after {time}.': 'Gesellschaft gefunden: {company}, nach {time}.',
    'From {road}: {request}. Privacy: {privacy}.': 'Von {road}: {request}. Schutz: {privacy}.',
    'Hidden among at least': 'Gruppe, mindestens',
    'Hide among {travellers}': 'Nur {travellers} verlangen',
    High: 'Hoch',
    'How many': 'Wie viele',
    'How many places': 'Wie viele Orte',
    'I can wait for': 'Ich kann warten',
    'If there is not enough company by then, nothing is sent (sigma_t).':
        'Ist bis dahin nicht genug Gesellschaft da, wird nichts gesendet (sigma_t).',
    'It cannot be told which of them you are (k).': 'Niemand kann sagen, wer davon Sie sind (k).',
    'Its answer contradicts itself or the roads, so the service does not pass it on.':
        'Die Antwort widerspricht sich selbst oder den Straßen; der Dienst gibt sie nicht weiter.',
    'Keep it until this tab is closed': 'Behalten, bis dieser Tab geschlossen wird',
    'Look for': 'Suche nach',
    Low: 'Niedrig',
    Medium: 'Mittel',
    'Metres by road': 'Meter auf der Straße',
    'Minutes by road': 'Minuten Fahrt',
    More: 'Mehr',
    'No cloak fits here: within {crossings} there are fewer than {roads}.':
        'Hier ist keine Tarnung möglich: Im Umkreis von {crossings} gibt es weniger als {roads}.',
    'No company came in time.': 'Es kam nicht rechtzeitig Gesellschaft.',
    'No road beyond {crossings}': 'Keine Straße weiter weg als {crossings}',
    'No such place was found.': 'Kein solcher Ort wurde gefunden.',
    'Nor is another number likely to be enough here: choose a busier place.':
        'Auch eine andere Zahl reicht hier wohl nicht: Wählen Sie einen belebteren Ort.',
    'Not farther away than': 'Nicht weiter weg als',
    'Nothing was typed; it is {now} again.': 'Das Feld war leer; es gilt wieder {now}.',
    'One of them is much busier than the others.': 'Eine davon ist viel belebter als die anderen.',
    'One of these is so, or all:': 'Mindestens eines davon trifft zu:',
    'One question at a time.': 'Eine Frage nach der anderen.',
    'Only you see the pins on the map: the provider sees neither them nor which road is yours.':
        'Die Nadeln auf der Karte sehen nur Sie: Der Anbieter sieht weder sie noch Ihre Straße.',
    'Or ask again with a change:': 'Oder noch einmal fragen, aber:',
    'Perhaps it is being restarted.': 'Vielleicht wird er gerade neu gestartet.',
    'Places that need protection are on them.': 'An ihnen liegen schutzbedürftige Orte.',
    Privacy: 'Schutz',
    'Reach up to {crossings}': 'Bis zu {crossings} weit',
    'Sent again, your question would show that both are yours, and from where you came. So it was not sent.':
        'Noch einmal gesendet, würde Ihre Frage zeigen, dass beide von Ihnen sind und woher Sie kamen. Deshalb wurde sie nicht gesendet.',
    'Since your last question you can have reached too few of them.':
        'Seit Ihrer letzten Frage können Sie zu wenige davon erreicht haben.',
    'Spread over at least': 'Verteilt auf mindestens',
    'The answer was lost on the way.': 'Die Antwort ging unterwegs verloren.',
    'The bytes have not arrived at this page yet.':
        'Die Bytes sind noch nicht bei dieser Seite angekommen.',
    'The exact answer': 'Die genaue Antwort',
    'The operator restricts who may see this (the setting "events").':
        'Der Betreiber beschränkt, wer das sehen darf (Einstellung „events“).',
    'The other one is ringed on the map of what travellers do, where it asked; the provider does not see it.':
        'Der andere hat auf der Karte der Reisenden einen Ring, dort, wo er fragte; der Anbieter sieht ihn nicht.',
    'The provider does not answer.': 'Der Anbieter antwortet nicht.',
    'The provider gave no valid answer.': 'Der Anbieter gab keine gültige Antwort.',
    'The provider is built in, so no bytes leave the process. This is everything it learned:':
        'Der Anbieter ist eingebaut, daher verlassen keine Bytes den Prozess. Das ist alles, was er erfuhr:',
    'The question would cost too much.': 'Die Frage wäre zu aufwendig.',
    'The roads here do not hide you.': 'Die Straßen hier verbergen Sie nicht.',
    'The service chose them from everything that the provider sent for the whole cloak.':
        'Der Dienst hat sie aus allem ausgewählt, was der Anbieter für die ganze Tarnung gesendet hat.',
    'The service does not accept this token.': 'Der Dienst nimmt dieses Token nicht an.',
    'The service finds no road near that place.': 'Der Dienst findet dort keine Straße.',
    'The service gave no reason': 'Der Dienst nannte keinen Grund',
    'The service is overloaded.': 'Der Dienst ist überlastet.',
    'The service limits the questions of one traveller, so that no one can fill a cloak alone.':
        'Der Dienst begrenzt die Fragen eines Reisenden, damit niemand allein eine Tarnung füllen kann.',
    'The service needs a token.': 'Der Dienst verlangt ein Token.',
    'The shaded roads: how far the cloak may reach (sigma_s).':
        'Die schattierten Straßen: so weit darf die Tarnung reichen (sigma_s).',
    'The {count} others are ringed on the map of what travellers do, where they asked; the provider does not see them.':
        'Die {count} anderen haben auf der Karte der Reisenden einen Ring, dort, wo sie fragten; der Anbieter sieht sie nicht.',
    'There are too few roads here.': 'Hier gibt es zu wenige Straßen.',
    'There are {roads} within {crossings}, but they do not hide you.':
        'Im Umkreis von {crossings} gibt es zwar {roads}, aber sie verbergen Sie nicht.',
    'There is no road near.': 'In der Nähe ist keine Straße.',
    'They do not hold the whole zone around your home.':
        'Sie enthalten nicht die ganze Zone um Ihr Zuhause.',
    'This is everything the provider learned:': 'Das ist alles, was der Anbieter erfuhr:',
    'This may help, too:': 'Auch das kann helfen:',
    'This page was not shown the cloak: the operator decides who may see what leaves.':
        'Diese Seite bekam die Tarnung nicht zu sehen: Der Betreiber entscheidet, wer sehen darf, was hinausgeht.',
    'This provider does not know cloaks; it only answers "what is near a point?". It was asked at points all over these roads, none of which is yours:':
        'Dieser Anbieter kennt keine Tarnungen; er beantwortet nur: „Was ist in der Nähe eines Punktes?“ Er wurde an Punkten überall auf diesen Straßen gefragt; keiner davon ist Ihrer:',
    'Time was up before the cloak could leave.':
        'Die Zeit war um, bevor die Tarnung gesendet werden konnte.',
    'Tokens are issued by the operator of this service: starcloak token issue. Check that it was copied whole; it begins with sct1_.':
        'Tokens stellt der Betreiber dieses Dienstes aus: starcloak token issue. Prüfen Sie, ob es ganz kopiert wurde; es beginnt mit sct1_.',
    'Wait up to {time}': 'Bis zu {time} warten',
    'Waiting or reach do not help here, a smaller number does:':
        'Hier helfen weder Warten noch Reichweite, sondern eine kleinere Zahl:',
    'What is near': 'Was nah ist',
    'What may help:': 'Was helfen kann:',
    'What the provider was told': 'Was der Anbieter erfuhr',
    'What would help:': 'Das würde helfen:',
    'Where you are, the shaded roads and the pins are drawn on this page only: the provider does not see them.':
        'Wo Sie sind, die schattierten Straßen und die Nadeln stehen nur auf dieser Seite: Der Anbieter sieht sie nicht.',
    'Withdraw it': 'Zurückziehen',
    'Withdrawn. If no cloak had left by then, nothing was sent.':
        'Zurückgezogen. Falls bis dahin keine Tarnung hinausging, wurde nichts gesendet.',
    'Within {time} about {count} who fit are here at once: likely enough.':
        'Binnen {time} sind etwa {count}, die zusammenpassen, zugleich da: reicht wohl.',
    'Within {time} hardly anybody who fits is here.':
        'Binnen {time} ist kaum jemand da, der passt.',
    'Within {time} only about {count} who fit are here at once: likely too few. Others leave with cloaks of their own.':
        'Binnen {time} sind nur etwa {count}, die zusammenpassen, zugleich da: wohl zu wenige. Andere gehen mit eigenen Tarnungen.',
    'Without this it is forgotten when the page is loaded again. It stays in this tab and is never saved for later visits. The operator issues tokens: starcloak token issue.':
        'Sonst ist es vergessen, sobald die Seite neu geladen wird. Es bleibt in diesem Tab und wird nie für spätere Besuche gespeichert. Tokens stellt der Betreiber aus: starcloak token issue.',
    'You are on {road}.': 'Sie sind hier: {road}.',
    'You asked for this before, and few others do.':
        'Das haben Sie schon gefragt, und nur wenige andere fragen es.',
    'You asked for {roads}; within {crossings} there are {count}. Your question was not sent to the provider.':
        'Verlangt waren {roads}; im Umkreis von {crossings} gibt es {count}. Ihre Frage wurde nicht an den Anbieter gesendet.',
    'You asked for {travellers}; not enough whose needs fit yours asked around you within {time}. So nothing was sent: no answer is better than one that gives you away.':
        'Verlangt waren {travellers}; in {time} fragten in Ihrer Nähe nicht genug, die zu Ihnen passen. Deshalb wurde nichts gesendet: Keine Antwort ist besser als eine, die Sie verrät.',
    'You had found company and the provider was asked, but the part of the service that asked no longer responds.':
        'Gesellschaft war da und der Anbieter wurde gefragt, aber der Teil des Dienstes, der gefragt hat, antwortet nicht mehr.',
    'You had found company, but the provider cannot be reached at the moment.':
        'Gesellschaft war da, aber der Anbieter ist im Moment nicht erreichbar.',
    'You had found company, but the provider would have to look through too many roads and objects.':
        'Gesellschaft war da, aber der Anbieter müsste zu viele Straßen und Orte durchsehen.',
    'You had found company, but the way to the provider was busy until your deadline.':
        'Gesellschaft war da, aber der Weg zum Anbieter war bis zum Ablauf Ihrer Frist belegt.',
    'Your cloak, made by {engine}': 'Ihre Tarnung, gebildet von {engine}',
    'Your question': 'Ihre Frage',
    'Your question waits for company.': 'Ihre Frage wartet auf Gesellschaft.',
    'Your question was dropped.': 'Ihre Frage wurde verworfen.',
    'Your question was not sent to the provider.':
        'Ihre Frage wurde nicht an den Anbieter gesendet.',
    'Your road is in it': 'Ihre Straße ist darin',
    'Your token': 'Ihr Token',
    'Your token has expired.': 'Ihr Token ist abgelaufen.',
    'Your token was revoked.': 'Ihr Token wurde widerrufen.',
    'all within': 'alle bis',
    'allow more time': 'mehr Zeit erlauben',
    'almost there': 'gleich so weit',
    'ask again later': 'später noch einmal fragen',
    'ask again later, in {time} at the latest': 'später wieder fragen, spätestens in {time}',
    'ask for something more common': 'nach etwas Gängigerem fragen',
    'ask the operator for a new one': 'den Betreiber um ein neues bitten',
    'becomes a cloak': 'wird zur Tarnung',
    'border nodes': 'Randknoten',
    'by distance': 'nach Entfernung',
    'by time': 'nach Fahrzeit',
    'checksum {checksum}: which map the numbers are of':
        'Prüfsumme {checksum}: zu welcher Karte die Zahlen gehören',
    'choose a busier road': 'eine belebtere Straße wählen',
    'choose a road in a denser part': 'eine Straße in dichterer Umgebung wählen',
    'choose a road where more roads are busy':
        'eine Straße wählen, in deren Nähe mehr Straßen belebt sind',
    'choose a road with fewer such places': 'eine Straße mit weniger solchen Orten wählen',
    'choose a smaller range': 'einen kleineren Umkreis wählen',
    'choose another road': 'eine andere Straße wählen',
    'click on a road': 'auf eine Straße klicken',
    crossings: 'Kreuzungen',
    'crossings that lead out: {listed}': 'Kreuzungen, die hinausführen: {listed}',
    'enter another token': 'ein anderes Token eingeben',
    'field {number}, which this page does not know': 'Feld {number}, das diese Seite nicht kennt',
    'finds company': 'findet Gesellschaft',
    'is answered': 'wird beantwortet',
    'look for one category': 'nach nur einer Art von Orten suchen',
    'look for something else': 'nach etwas anderem suchen',
    map: 'Karte',
    no: 'nein',
    'not seen': 'unbekannt',
    places: 'Orte',
    request: 'Anfrage',
    'road {number}': 'Straße {number}',
    roads: 'Straßen',
    'roads of the cloak: {listed}': 'Straßen der Tarnung: {listed}',
    seconds: 'Sekunden',
    segments: 'Straßen',
    'the nearest': 'die nächsten',
    travellers: 'Reisende',
    'try again in a moment': 'gleich noch einmal versuchen',
    'try again in {time}': 'in {time} noch einmal versuchen',
    unknown: 'unbekannt',
    version: 'Version',
    'version {version} of the protocol': 'Version {version} des Protokolls',
    waits: 'wartet',
    yes: 'ja',
    '{bytes}, and when they came. No name, no position, no time of asking. How many asked shows only as far as their requests differ.':
        '{bytes}, und wann sie kamen. Kein Name, keine Position, keine Uhrzeit der Frage. Wie viele fragten, zeigt sich nur, soweit sich ihre Anfragen unterscheiden.',
    '{count} more wait within your reach but do not fit.':
        '{count} weitere warten in Ihrer Reichweite, passen aber nicht.',
    '{count} more waits within your reach but does not fit.':
        '{count} weitere Person wartet in Ihrer Reichweite, passt aber nicht.',
    '{here} of {needed} who fit are here, you included; {count} more are needed.':
        '{here} von {needed}, die zusammenpassen, sind da, Sie mitgezählt; {count} fehlen noch.',
    '{here} of {needed} who fit are here, you included; {count} more is needed.':
        '{here} von {needed}, die zusammenpassen, sind da, Sie mitgezählt; {count} fehlt noch.',
    '{here} who fit are here, you included: enough for a cloak.':
        '{here}, die zusammenpassen, sind da, Sie mitgezählt: genug für eine Tarnung.',
    '{remedy}: likely enough, about {count} at once':
        '{remedy}: reicht wohl, etwa {count} zugleich',
    '{road}, which is one-way': '{road} (Einbahn\u00adstraße)',
    '{shown}, at least {least}': '{shown}, mindestens {least}',
    '{time} left': 'noch {time}',
    '{travellers} on {roads}': '{travellers} auf {roads}',
    '{travellers} on {roads}, within {crossings} and {time}':
        '{travellers} auf {roads}, im Umkreis von {crossings}, bis zu {time}',
    '{typed} is not possible here; it is {now} now.':
        '{typed} ist hier nicht möglich; jetzt gilt {now}.',
};
