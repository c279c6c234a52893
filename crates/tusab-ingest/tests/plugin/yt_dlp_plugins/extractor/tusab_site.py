"""Gives the real yt-dlp a small video site for tests: addresses of YouTube, every byte from the server of the test.

The server's address stands in TUSAB_TEST_SITE. It answers `/video/ID.json` with the fields of a video, or with
`reason` for one that cannot be watched, and `/list/...json` with the fields and entries of a list. For ids that start
with `yt`, yt-dlp's own extractor for YouTube runs, and `/video/ID.json` is what YouTube's player would be told.
"""

import os

from yt_dlp.extractor.common import InfoExtractor
from yt_dlp.extractor.youtube import YoutubeIE
from yt_dlp.utils import ExtractorError


def _site():
    return os.environ['TUSAB_TEST_SITE']


class TusabSiteYoutubeIE(YoutubeIE):
    IE_NAME = 'site:youtube'
    _VALID_URL = r'https://www\.youtube\.com/watch\?v=(?P<id>yt[\w-]{9})$'
    _player_response = None

    def _real_extract(self, url):
        return {**super()._real_extract(url), 'extractor_key': 'Youtube'}

    def _configuration_arg(self, *args, **kwargs):
        # What is meant for the extractor that this one stands in for.
        return super()._configuration_arg(*args, **{**kwargs, 'ie_key': 'youtube'})

    def _download_initial_webpage(self, webpage_url, webpage_client, video_id):
        return '<html></html>'

    def _download_initial_data(self, *args, **kwargs):
        return None

    def _download_player_url(self, *args, **kwargs):
        return None

    def _extract_player_response(self, client, video_id, *args, **kwargs):
        # Asked once for every kind of player.
        if self._player_response is None:
            self._player_response = self._download_json(f'{_site()}/video/{video_id}.json', video_id)
        return self._player_response


class TusabSiteVideoIE(InfoExtractor):
    IE_NAME = 'site'
    _VALID_URL = r'https://www\.youtube\.com/watch\?v=(?P<id>(?!yt)[\w-]{11})$'

    def _real_extract(self, url):
        video_id = self._match_id(url)
        info = self._download_json(f'{_site()}/video/{video_id}.json', video_id)
        for warning in info.pop('warnings', []):
            self.report_warning(warning, video_id)
        if master := info.pop('hls', None):
            info['formats'], info['subtitles'] = self._extract_m3u8_formats_and_subtitles(master, video_id)
        if reason := info.pop('reason', None):
            self.raise_no_formats(reason, expected=True)
        return {'id': video_id, 'title': video_id, 'extractor_key': 'Youtube', 'formats': [], **info}


class TusabSiteListIE(InfoExtractor):
    IE_NAME = 'site:list'
    _VALID_URL = r'https://www\.youtube\.com/(?P<id>(?:@|channel/|c/|user/|playlist\?list=).+)'

    def _real_extract(self, url):
        name = self._match_id(url)
        path = name.replace('playlist?list=', 'playlist/')
        listing = self._download_json(f'{_site()}/list/{path}.json', name)
        if reason := listing.pop('reason', None):
            raise ExtractorError(reason, expected=True)
        return {'_type': 'playlist', 'id': name, 'title': name, **listing}
